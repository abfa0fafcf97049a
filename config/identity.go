package config

// Identify appends the identity of a request to dst: the first of the sources that yields one. It is false, and id is
// dst, if none does.
//
// Different identities have different encodings: an encoding begins with the kind of its source (never zero), then come
// the source's name with its length before it, and the value. The place of the source in the list is no part of it. A
// value that is missing, empty or blank yields nothing, and neither does a source that the request names more than once
// with different values: such a request gets what leaving it out would give. Blanks around a value are no part of it,
// except for metadata, whose bytes need not be text.
func (r *Request) Identify(dst []byte, sources []Source) (id []byte, ok bool) {
	for i := range sources {
		id, ok := r.appendSource(dst, &sources[i])
		if ok {
			return id, true
		}
		dst = id // the same, with room for the next one
	}
	return dst, false
}

// appendSource appends the identity by one source.
func (r *Request) appendSource(dst []byte, s *Source) (id []byte, ok bool) {
	start := len(dst)
	id = append(dst, byte(s.Kind))
	id = appendLength(id, len(s.Name))
	id = append(id, s.Name...)
	id, ok = r.appendValue(id, s)
	if !ok {
		return id[:start], false
	}
	return id, true
}

// appendValue appends the value of a source, which is never empty except for a constant.
func (r *Request) appendValue(dst []byte, s *Source) (id []byte, ok bool) {
	switch s.Kind {
	case SourceHeader:
		return r.appendHeader(dst, s.Name)
	case SourceQuery:
		return r.appendQuery(dst, s.Name)
	case SourceCookie:
		return r.appendCookie(dst, s.Name)
	case SourceBearer:
		return r.appendBearer(dst)
	case SourceMetadata:
		return r.appendProperty(dst, s.Name)
	case SourceRoute:
		return r.appendProperty(dst, propertyRoute)
	case SourceAddress:
		return r.appendAddress(dst, s)
	case SourceCombine:
		return r.appendParts(dst, s.Parts)
	default:
		return dst, true
	}
}

func (r *Request) appendProperty(dst []byte, path string) ([]byte, bool) {
	value, ok := r.property(path)
	return append(dst, value...), ok
}

// appendAddress appends the number of bits that count, which tells IPv4 from IPv6 too, and the address without the others.
func (r *Request) appendAddress(dst []byte, s *Source) ([]byte, bool) {
	address, ok := r.address()
	if !ok {
		return dst, false
	}
	bits, all := int(s.IPv6Prefix), ipv6Bits
	if address.is4() {
		bits, all = int(s.IPv4Prefix), ipv4Bits
	}
	address = address.masked(bits + ipv6Bits - all)
	dst = append(dst, byte(bits), byte(all))
	return append(dst, address[:]...), true
}

// appendParts appends all parts, each with its length before it in four bytes.
func (r *Request) appendParts(dst []byte, parts []Source) ([]byte, bool) {
	for i := range parts {
		length := len(dst)
		id, ok := r.appendSource(append(dst, 0, 0, 0, 0), &parts[i])
		if !ok {
			return dst, false
		}
		dst = id
		putLength(dst[length:length+4], len(dst)-length-4)
	}
	return dst, true
}

// appendLength appends n in base 128, the low digits first, with the high bit set on all but the last.
func appendLength(dst []byte, n int) []byte {
	for n >= 0x80 {
		dst = append(dst, byte(n)|0x80)
		n >>= 7
	}
	return append(dst, byte(n))
}

// putLength fills dst with n, the high byte first.
func putLength(dst []byte, n int) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = byte(n)
		n >>= 8
	}
}

// namedValue returns the value within an identity that one named value made: of a header, query parameter, cookie,
// bearer token or metadata entry.
func namedValue(id []byte) (value []byte, ok bool) {
	if len(id) == 0 || SourceKind(id[0]) < SourceHeader || SourceKind(id[0]) > SourceMetadata {
		return nil, false
	}
	length, shift, i := 0, 0, 1
	for ; i < len(id); i++ {
		length |= int(id[i]&0x7f) << shift
		shift += 7
		if id[i] < 0x80 {
			break
		}
	}
	start := i + 1 + length
	if start < 0 || start > len(id) {
		return nil, false
	}
	return id[start:], true
}
