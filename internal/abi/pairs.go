package abi

import (
	"encoding/binary"
	"unsafe"

	"tollgate/filter"
)

// Header maps travel as "pairs" (proxy-wasm-cpp-host, include/proxy-wasm/pairs_util.h): the number of pairs, the two lengths of each, then
// each name and value with a zero byte after it. Numbers are 32 bits, little-endian.

const pairsWord = 4

// decodePairs appends the pairs of data to dst. The strings share data's memory. It returns false, and whatever came before the
// fault, if data is no list of pairs to the last byte. No data are no pairs.
func decodePairs(dst [][2]string, data []byte) ([][2]string, bool) {
	if len(data) == 0 {
		return dst, true
	}
	if len(data) < pairsWord {
		return dst, false
	}
	n := uint64(binary.LittleEndian.Uint32(data))
	lengths := data[pairsWord:]
	if n > uint64(len(lengths))/(2*pairsWord) {
		return dst, false
	}
	rest := lengths[2*pairsWord*n:]
	for ; n > 0; n-- {
		name, after, ok := cutText(rest, binary.LittleEndian.Uint32(lengths))
		if !ok {
			return dst, false
		}
		value, after, ok := cutText(after, binary.LittleEndian.Uint32(lengths[pairsWord:]))
		if !ok {
			return dst, false
		}
		dst = append(dst, [2]string{name, value})
		lengths, rest = lengths[2*pairsWord:], after
	}
	return dst, len(rest) == 0
}

// cutText cuts size bytes and the zero byte after them off data.
func cutText(data []byte, size uint32) (text string, rest []byte, ok bool) {
	if uint64(size) >= uint64(len(data)) || data[size] != 0 {
		return "", nil, false
	}
	return unsafe.String(unsafe.SliceData(data), int(size)), data[size+1:], true
}

// encodePairs appends the header lines in that form.
func encodePairs(dst []byte, fields []filter.Field) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(fields)))
	for _, f := range fields {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(f.Name)))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(f.Value)))
	}
	for _, f := range fields {
		dst = append(append(dst, f.Name...), 0)
		dst = append(append(dst, f.Value...), 0)
	}
	return dst
}
