package wasmhost

import "encoding/binary"

// encodePairs serialises header lines as proxy-wasm does (proxy-wasm-cpp-host src/pairs_util.cc): the number of pairs,
// the lengths of each name and value, then the texts, each ended by a zero byte. No pairs are no bytes.
func encodePairs(h Headers) []byte {
	if len(h) == 0 {
		return nil
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(h)))
	for _, line := range h {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(line[0])))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(line[1])))
	}
	for _, line := range h {
		out = append(append(out, line[0]...), 0)
		out = append(append(out, line[1]...), 0)
	}
	return out
}

// decodePairs reads what encodePairs writes. Like the host it copies, it answers malformed bytes with no pairs.
func decodePairs(b []byte) Headers {
	if len(b) < 4 {
		return nil
	}
	count := uint64(binary.LittleEndian.Uint32(b))
	if 4+8*count > uint64(len(b)) {
		return nil
	}
	lengths, texts := b[4:4+8*count], b[4+8*count:]
	out := make(Headers, count)
	for i := range out {
		for part := range out[i] {
			length := uint64(binary.LittleEndian.Uint32(lengths[8*i+4*part:]))
			if length+1 > uint64(len(texts)) || texts[length] != 0 {
				return nil
			}
			out[i][part], texts = string(texts[:length]), texts[length+1:]
		}
	}
	return out
}
