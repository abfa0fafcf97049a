package config

import (
	"strconv"
	"strings"
)

// address is an IP address in network byte order. An IPv4 address is held as it is mapped into IPv6 (RFC 4291 section
// 2.5.5.2), so that both ways of writing it are one client.
//
// It stands in for net/netip, which keeps zones in the runtime's table of unique values: 90 KB of module and a goroutine
// that wakes after each collection.
type address [16]byte

const (
	ipv4Bits   = 32
	ipv6Bits   = 128
	mappedBits = ipv6Bits - ipv4Bits // what stands before a mapped IPv4 address
)

var mappedPrefix = [12]byte{10: 0xff, 11: 0xff}

func (a *address) is4() bool { return [12]byte(a[:12]) == mappedPrefix }

// masked returns the address without the bits behind the first ones, of all 128.
func (a address) masked(bits int) address {
	for i := range a {
		keep := min(max(bits-8*i, 0), 8)
		a[i] &= byte(uint(0xff00) >> keep)
	}
	return a
}

// parseAddress reads an address without a zone.
func parseAddress(text string) (a address, ok bool) {
	if strings.IndexByte(text, ':') < 0 {
		copy(a[:], mappedPrefix[:])
		return a, parseIPv4(text, a[12:])
	}
	left, right, compressed := strings.Cut(text, "::")
	n, ok := parseGroups(left, a[:], !compressed)
	if !ok || !compressed {
		return a, ok && n == len(a)
	}
	var end address
	m, ok := parseGroups(right, end[:], true)
	if !ok || n+m > len(a)-2 {
		return a, false
	}
	copy(a[len(a)-m:], end[:m])
	return a, true
}

// parseGroups reads the groups of an IPv6 address into dst and returns how many bytes they take. If last is set, an IPv4
// address may stand at the end.
func parseGroups(text string, dst []byte, last bool) (n int, ok bool) {
	for more := text != ""; more; {
		var group string
		group, text, more = strings.Cut(text, ":")
		size := 2
		if last && !more && strings.IndexByte(group, '.') >= 0 {
			size = 4
		}
		if n+size > len(dst) || !parseGroup(group, dst[n:n+size]) {
			return 0, false
		}
		n += size
	}
	return n, true
}

// parseGroup reads up to four hexadecimal digits into two bytes, or an IPv4 address into four.
func parseGroup(text string, dst []byte) bool {
	if len(dst) == 4 {
		return parseIPv4(text, dst)
	}
	if !isMadeOf(text, 4, isHex) {
		return false
	}
	for i := range len(text) {
		dst[0], dst[1] = dst[0]<<4|dst[1]>>4, dst[1]<<4|hexValue(text[i])
	}
	return true
}

// parseIPv4 reads four decimal numbers without leading zeros.
func parseIPv4(text string, dst []byte) bool {
	more := true
	for i := range dst[:4] {
		var number string
		number, text, more = strings.Cut(text, ".")
		v, ok := smallNumber(number, 255)
		if !ok || more != (i < 3) {
			return false
		}
		dst[i] = byte(v)
	}
	return true
}

// smallNumber reads up to three digits without a leading zero.
func smallNumber(text string, most int) (v int, ok bool) {
	if !isMadeOf(text, 3, isDigit) || len(text) > 1 && text[0] == '0' {
		return 0, false
	}
	for i := range len(text) {
		v = 10*v + int(text[i]-'0')
	}
	return v, v <= most
}

// String returns the address as a configuration writes it, the zeros at the end of an IPv6 address left out.
func (a address) String() string {
	var text strings.Builder
	if a.is4() {
		for i, b := range a[12:] {
			text.WriteString([...]string{"", ".", ".", "."}[i] + strconv.Itoa(int(b)))
		}
		return text.String()
	}
	for i := 0; i < len(a); i += 2 {
		if a.masked(8*i) == a && i < len(a)-2 {
			if i == 0 {
				text.WriteByte(':')
			}
			return text.String() + ":"
		}
		text.WriteString(strconv.FormatUint(uint64(a[i])<<8|uint64(a[i+1]), 16))
		if i < len(a)-2 {
			text.WriteByte(':')
		}
	}
	return text.String()
}

// network is an address and how many of its 128 bits count; the others are zero.
type network struct {
	address address
	bits    int
}

// contains reports whether the network has the address. An IPv6 network has no IPv4 addresses.
func (n *network) contains(a address) bool {
	return n.address.is4() == a.is4() && a.masked(n.bits) == n.address
}

// covers reports whether n has all addresses of other.
func (n *network) covers(other *network) bool {
	return n.bits <= other.bits && n.contains(other.address)
}

// String returns the network in CIDR notation.
func (n network) String() string {
	bits := n.bits
	if n.address.is4() {
		bits -= mappedBits
	}
	return n.address.String() + "/" + strconv.Itoa(bits)
}

const networksAdvice = `write a list of networks such as ["10.0.0.0/8", "2001:db8::/32"]`

// networks reads a list of networks in CIDR notation.
func (d *decoder) networks(n *node) []network {
	return readSet(d, n, networksAdvice, (*decoder).network)
}

func (d *decoder) network(n *node) (network, bool) {
	text, ok := d.text(n, networksAdvice)
	if !ok {
		return network{}, false
	}
	net, ok := parseNetwork(text)
	masked := network{net.address.masked(net.bits), net.bits}
	switch {
	case !ok:
		d.fail(n, quote(text)+" is not a network", networksAdvice)
	case !strings.Contains(text, "/") && !net.address.is4():
		d.fail(n, quote(text)+" is an address, not a network", "write "+quote(text+"/128"))
	case !strings.Contains(text, "/"):
		d.fail(n, quote(text)+" is an address, not a network", "write "+quote(net.String()))
	case net.address.is4() && strings.Contains(text, ":"):
		d.fail(n, quote(text)+" is an IPv4 network mapped into IPv6, where clients are not found", `write the IPv4 network, such as "10.0.0.0/8"`)
	case masked != net:
		d.fail(n, quote(text)+" has bits behind its prefix", "write "+quote(masked.String()))
	default:
		return net, true
	}
	return network{}, false
}

// parseNetwork reads a network, or an address as the network of it alone. The bits behind the prefix are kept.
func parseNetwork(text string) (n network, ok bool) {
	host, length, hasLength := strings.Cut(text, "/")
	n.address, ok = parseAddress(host)
	n.bits = ipv6Bits
	if !ok || !hasLength {
		return n, ok
	}
	all := ipv4Bits
	if strings.Contains(host, ":") {
		all = ipv6Bits
	}
	bits, ok := smallNumber(length, all)
	n.bits = bits + ipv6Bits - all
	return n, ok
}
