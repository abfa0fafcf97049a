package config

import (
	"slices"
	"strings"
)

// alternative is one entry of a match: everything it asks for must hold. A zero field asks for nothing.
type alternative struct {
	methods     []string
	path        pathMatch
	hosts       []string // in lower case; one that starts with a dot stands for all names that end so
	headers     []headerMatch
	addresses   []network
	route       string
	virtualHost string
	policy      string
}

// matches reports whether the request is what the alternative asks for. What costs most to find out comes last, and is
// not asked at all if something else fails.
func (a *alternative) matches(r *Request) bool {
	return (a.methods == nil || slices.Contains(a.methods, r.Method)) &&
		a.path.matches(r) &&
		(a.hosts == nil || matchesHost(a.hosts, r.Authority)) &&
		a.matchesHeaders(r) &&
		(a.addresses == nil || matchesAddress(a.addresses, r)) &&
		matchesProperty(a.route, r, propertyRoute) &&
		matchesProperty(a.virtualHost, r, propertyVirtualHost) &&
		matchesProperty(a.policy, r, propertyPolicy)
}

func matchesProperty(want string, r *Request, path string) bool {
	if want == "" {
		return true
	}
	value, ok := r.property(path)
	return ok && value == want
}

func matchesAddress(networks []network, r *Request) bool {
	address, ok := r.address()
	if !ok {
		return false
	}
	for i := range networks {
		if networks[i].contains(address) {
			return true
		}
	}
	return false
}

const (
	matchAdvice       = `write a list of alternatives such as [{"methods": ["POST"], "path": "/login"}]`
	alternativeAdvice = `write an alternative such as {"methods": ["POST"], "path": "/login"}`
	methodsAdvice     = `write a list of methods such as ["GET", "HEAD"]`
	methodAdvice      = `write a method such as "GET"; leave "methods" out for any`
)

// match reads a list of alternatives; ok is false if one of them could not be read. An empty one would match everything:
// everything says how to write that.
func (d *decoder) match(n *node, everything string) (list []alternative, ok bool) {
	before := d.count()
	for _, e := range d.list(n, matchAdvice) {
		list = append(list, d.alternative(e, everything))
	}
	return list, d.count() == before
}

func alternativeFields() []field[alternative] {
	return []field[alternative]{
		{"methods", "", func(d *decoder, n *node, a *alternative) { a.methods = d.methods(n) }},
		{"path", "", func(d *decoder, n *node, a *alternative) { a.setPath(d, n, d.exactPath(n)) }},
		{"path_prefix", "", func(d *decoder, n *node, a *alternative) { a.setPath(d, n, d.pathPrefix(n)) }},
		{"path_template", "", func(d *decoder, n *node, a *alternative) { a.setPath(d, n, d.pathTemplate(n)) }},
		{"path_regex", "", func(d *decoder, n *node, a *alternative) { a.setPath(d, n, d.pathRegex(n)) }},
		{"hosts", "", func(d *decoder, n *node, a *alternative) { a.hosts = d.hosts(n) }},
		{"headers", "", func(d *decoder, n *node, a *alternative) { a.headers = d.headerMatches(n) }},
		{"addresses", "", func(d *decoder, n *node, a *alternative) { a.addresses = d.networks(n) }},
		{"route", "", func(d *decoder, n *node, a *alternative) {
			a.route = d.nonEmpty(n, `write the name of a route in the proxy's configuration`)
		}},
		{"virtual_host", "", func(d *decoder, n *node, a *alternative) {
			a.virtualHost = d.nonEmpty(n, `write the name of a virtual host in the proxy's configuration`)
		}},
		{"policy", "", func(d *decoder, n *node, a *alternative) {
			a.policy = d.nonEmpty(n, `write the string that a route's metadata has at filter_metadata, "tollgate", "policy"`)
		}},
	}
}

func (d *decoder) alternative(n *node, everything string) (a alternative) {
	_, ok := readObject(d, n, alternativeAdvice, alternativeFields(), &a)
	if ok && len(n.members) == 0 {
		d.fail(n, "is an empty object", "write what must hold, or "+everything)
	}
	return a
}

// setPath gives the alternative its condition on the path, of which it has at most one.
func (a *alternative) setPath(d *decoder, n *node, p pathMatch) {
	if a.path.kind != anyPath {
		d.fail(n, "is a second condition on the path", "keep one of them, or write two alternatives")
	}
	a.path = p
}

// methods reads a list of request methods.
func (d *decoder) methods(n *node) []string {
	return readSet(d, n, methodsAdvice, (*decoder).method)
}

// readSet reads a list that must not be empty and has no entry twice. Entries that cannot be read are left out.
func readSet[T comparable](d *decoder, n *node, advice string, read func(*decoder, *node) (T, bool)) []T {
	var set []T
	for _, e := range d.list(n, advice) {
		v, ok := read(d, e)
		switch {
		case !ok:
		case slices.Contains(set, v):
			d.fail(e, quote(e.text)+" stands in the list twice", "remove it")
		default:
			set = append(set, v)
		}
	}
	return set
}

// wellKnownMethods are in upper case; written otherwise they are a slip, since methods are case-sensitive.
const wellKnownMethods = " GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH "

func (d *decoder) method(n *node) (string, bool) {
	m, ok := d.text(n, methodAdvice)
	if !ok {
		return "", false
	}
	upper := strings.ToUpper(m)
	switch {
	case !isMadeOf(m, 64, isTokenByte):
		d.fail(n, quote(m)+" is not a method", methodAdvice)
	case m != upper && strings.Contains(wellKnownMethods, " "+upper+" "):
		d.fail(n, quote(m)+" never occurs: methods are case-sensitive", "write "+quote(upper))
	default:
		return m, true
	}
	return "", false
}
