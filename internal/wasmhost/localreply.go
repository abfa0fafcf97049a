package wasmhost

import (
	"fmt"
	"strconv"
	"strings"
)

// localReply builds the headers and the body that Envoy makes of a local reply before the filters see them
// (source/common/http/utility.cc, Utility::prepareLocalReply).
func localReply(request Headers, reply *LocalReply) (headers Headers, body string) {
	headers = append(Headers{{":status", strconv.Itoa(reply.Status)}}, reply.Headers...)
	if isGRPC(request) {
		return grpcReply(headers, reply), ""
	}
	if reply.Body == "" {
		return headers.without("content-length").without("content-type"), ""
	}
	headers.set("content-length", strconv.Itoa(len(reply.Body)))
	if _, ok := headers.Get("content-type"); !ok {
		headers.add("content-type", "text/plain")
	}
	if request.Value(":method") == "HEAD" {
		return headers, ""
	}
	return headers, reply.Body
}

func isGRPC(request Headers) bool {
	contentType := request.Value("content-type")
	return contentType == "application/grpc" || strings.HasPrefix(contentType, "application/grpc+")
}

// grpcReply turns a reply into a response of trailers only: always HTTP 200, the outcome in grpc-status.
func grpcReply(headers Headers, reply *LocalReply) Headers {
	headers[0][1] = "200"
	headers.set("content-type", "application/grpc")
	if headers.Value("grpc-status") == "" {
		status := reply.GRPCStatus
		if status < 0 || status > 16 {
			status = grpcStatusOf(reply.Status)
		}
		headers.set("grpc-status", strconv.Itoa(int(status)))
	}
	if reply.Body != "" {
		headers.set("grpc-message", percentEncoded(reply.Body))
	}
	return headers.without("content-length")
}

// grpcStatusOf is the table of the gRPC documentation (http-grpc-status-mapping), which Envoy follows.
func grpcStatusOf(status int) int32 {
	switch status {
	case 400:
		return 13
	case 401:
		return 16
	case 403:
		return 7
	case 404:
		return 12
	case 429, 502, 503, 504:
		return 14
	default:
		return 2
	}
}

// percentEncoded escapes a grpc-message as the gRPC protocol asks: everything but printable ASCII, and the percent sign.
func percentEncoded(s string) string {
	var out strings.Builder
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '%' {
			fmt.Fprintf(&out, "%%%02X", s[i])
			continue
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
