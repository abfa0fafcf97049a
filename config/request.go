package config

// Request is what rules can see of one request. Reset it for each request and reuse it: then nothing is allocated,
// except for a path that is not in normal form. It is not safe for concurrent use.
//
// All its strings share the memory of the header lines given to Reset, or of what Properties returned, and are valid no
// longer than those.
type Request struct {
	Method     string      // of :method; case matters (RFC 9110 section 9.1)
	Authority  string      // of :authority, possibly with a port
	Target     string      // of :path, as received, with the query
	Headers    [][2]string // all lines in order, pseudo headers among them; names in lower case
	Properties Properties  // asked only for what the configuration needs; nil has none. Reset keeps it

	path      string
	hasPath   bool
	pathKnown bool
	scratch   []byte

	client       address
	hasClient    bool
	addressKnown bool
	readings     []reading

	// The places in an index at which a match may stand, for the index that was last asked.
	candidates [][]int32
	indexed    *index
}

// Reset makes r the request with these header lines: in order, names in lower case, the pseudo headers :method,
// :path and :authority among them (the first of each counts). r keeps the slice, not a copy.
func (r *Request) Reset(headers [][2]string) {
	*r = Request{
		Headers:    headers,
		Properties: r.Properties,
		scratch:    r.scratch,
		readings:   r.readings[:0],
		candidates: r.candidates[:0],
	}
	r.Method, _ = r.Header(":method")
	r.Authority, _ = r.Header(":authority")
	r.Target, _ = r.Header(":path")
}

// Header returns the value of the first line of that name, which is in lower case.
func (r *Request) Header(name string) (value string, ok bool) {
	for i := range r.Headers {
		if r.Headers[i][0] == name {
			return r.Headers[i][1], true
		}
	}
	return "", false
}

// Path returns the path in the form in which rules match it (see NormalizePath). It is false for a request without a
// path: then only rules that ask for none match. It is computed once, and allocates only for a path that was not normal.
func (r *Request) Path() (path string, ok bool) {
	if !r.pathKnown {
		r.path, r.hasPath = r.normalPath()
		r.pathKnown = true
	}
	return r.path, r.hasPath
}

func (r *Request) normalPath() (path string, ok bool) {
	path, ok = cutPath(r.Target)
	if !ok {
		return "", false
	}
	if isPlainlyNormal(path) {
		return path, true
	}
	r.scratch = appendNormalPath(r.scratch[:0], path)
	if string(r.scratch) == path {
		return path, true
	}
	return string(r.scratch), true
}
