// Package wire speaks HTTP to a server and keeps what it says as it says it: header lines in their order and
// spelling, each occurrence apart. An ordinary client sorts, merges and respells them.
package wire

// Field is a header line.
type Field struct{ Name, Value string }

// Request is what a client sends. Its header fields go out in their order, exactly as they are spelled.
type Request struct {
	Method string
	Target string // path and query, sent as it stands
	Header []Field
	Body   string
}

// Response is what the server answered.
type Response struct {
	StatusLine string // HTTP/1.1 only
	Status     int
	Header     []Field // in the order of arrival; HTTP/2's :status is not among them
	Body       []byte
}

// Values returns the values of all header lines called name, in the order of arrival. The spelling of name counts.
func (r *Response) Values(name string) []string {
	var values []string
	for _, f := range r.Header {
		if f.Name == name {
			values = append(values, f.Value)
		}
	}
	return values
}

// Client is a connection to a server: one request after the other.
type Client interface {
	// Do sends a request and returns the whole response.
	Do(Request) (*Response, error)
	// Close ends the connection.
	Close() error
}
