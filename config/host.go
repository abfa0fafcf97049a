package config

import "strings"

// hostOf returns the host of an authority: without its port. A bare IPv6 address keeps all its colons.
func hostOf(authority string) string {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || strings.LastIndexByte(authority, ']') > i {
		return authority
	}
	if host := authority[:i]; host != "" && (host[0] == '[' || strings.IndexByte(host, ':') < 0) {
		return host
	}
	return authority
}

// matchesHost reports whether the authority names one of the hosts. Case and a port do not matter, nor does the dot at the
// end of a fully qualified name.
func matchesHost(hosts []string, authority string) bool {
	host := strings.TrimSuffix(hostOf(authority), ".")
	for _, want := range hosts {
		if want[0] != '.' && equalFold(host, want) {
			return true
		}
		if cut := len(host) - len(want); want[0] == '.' && cut > 0 && equalFold(host[cut:], want) {
			return true
		}
	}
	return false
}

const hostsAdvice = `write a list of hosts such as ["example.com", "*.example.com"]`

// hosts reads a list of hosts.
func (d *decoder) hosts(n *node) []string {
	return readSet(d, n, hostsAdvice, (*decoder).host)
}

// host reads a host in lower case. The wildcard of *.example.com is left out: what remains starts with a dot.
func (d *decoder) host(n *node) (string, bool) {
	text, ok := d.text(n, hostsAdvice)
	if !ok {
		return "", false
	}
	host := strings.ToLower(text)
	bare := strings.TrimSuffix(hostOf(host), ".")
	name, wild := strings.CutPrefix(bare, "*.")
	_, rest, isURL := strings.Cut(host, "://")
	rest, _, _ = strings.Cut(rest, "/")
	switch {
	case host == "*":
		d.fail(n, `"*" is every host`, `leave "hosts" out`)
	case isURL:
		d.fail(n, quote(text)+" is an address of a page, not a host", "write "+quote(rest))
	case !isHostName(name) || wild && name[0] == '[':
		d.fail(n, quote(text)+" is not a host", hostsAdvice)
	case bare != host:
		d.fail(n, quote(text)+" has a port or a dot at its end, which do not matter here", "write "+quote(bare))
	default:
		return strings.TrimPrefix(host, "*"), true
	}
	return "", false
}

// isHostName reports whether name is a name of labels, or an IP address in brackets as an authority has it.
func isHostName(name string) bool {
	if inner, ok := strings.CutPrefix(name, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		return ok && isMadeOf(inner, 64, func(c byte) bool { return isHex(c) || c == ':' || c == '.' })
	}
	for label := range strings.SplitSeq(name, ".") {
		if !isMadeOf(label, 63, func(c byte) bool { return isAlphanumeric(c) || c == '-' || c == '_' }) {
			return false
		}
	}
	return len(name) <= 253
}
