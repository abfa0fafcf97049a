package wasmhost

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Upstream answers a request that the filter let through. It gets the request headers as the filter left them, and
// returns the response headers; without a ":status" they are taken as a 200.
type Upstream func(request Headers) Headers

// Respond returns an upstream that always answers with a status and some headers.
func Respond(status int, headers ...[2]string) Upstream {
	return func(Headers) Headers {
		return append(Headers{{":status", strconv.Itoa(status)}}, headers...)
	}
}

// Response is what a client gets, apart from what Envoy adds after the filters.
type Response struct {
	Status  int
	Headers Headers // without pseudo-headers, in order
	Body    string  // of a local reply; upstream bodies are not played
	Local   bool    // the filter answered itself
	Details string  // the response code details of a local reply
}

// ErrPaused says that a stream is still waiting for the guest.
var ErrPaused = errors.New("wasmhost: the stream is paused")

// Do plays a whole exchange: a new stream, the request, then the filter's own reply or the upstream's answer, the response
// and the end of the stream. A nil upstream answers 200. A filter that pauses the request makes ErrPaused, and the stream
// is closed; play such a request with [Root.Begin] and [Stream.Finish].
func (r *Root) Do(request Headers, upstream Upstream) (Response, error) {
	s, err := r.Begin(request)
	if err != nil {
		return Response{}, err
	}
	response, err := s.Finish(upstream)
	if errors.Is(err, ErrPaused) {
		err = errors.Join(err, s.Close())
	}
	return response, err
}

// Begin makes a stream and runs the request headers of a request without a body.
func (r *Root) Begin(request Headers) (*Stream, error) {
	s, err := r.NewStream()
	if err != nil {
		return nil, err
	}
	_, err = s.RequestHeaders(request, true)
	return s, err
}

// Finish plays the rest of an exchange whose request headers have run, and closes the stream. While the filter holds the
// request, or if it holds the response, that is ErrPaused and the stream stays open.
func (s *Stream) Finish(upstream Upstream) (Response, error) {
	if s.Paused() {
		return Response{}, fmt.Errorf("%w: %s", ErrPaused, s)
	}
	response, err := s.respond(upstream)
	if err != nil {
		return Response{}, err
	}
	return response, s.Close()
}

// respond runs the response headers and returns what they became.
func (s *Stream) respond(upstream Upstream) (Response, error) {
	if s.reply != nil {
		headers, body := localReply(s.request, s.reply)
		_, err := s.ResponseHeaders(headers, body == "")
		return s.received(body), err
	}
	if _, err := s.ResponseHeaders(answer(upstream, s.Request()), true); err != nil {
		return Response{}, err
	}
	if s.Paused() {
		return Response{}, fmt.Errorf("%w in its response headers: %s", ErrPaused, s)
	}
	if s.reply == nil {
		return s.received(""), nil
	}
	// The filter replaced the upstream's response; Envoy does not run the callback a second time.
	headers, body := localReply(s.request, s.reply)
	s.response = headers
	return s.received(body), nil
}

// answer asks the upstream, and completes its answer.
func answer(upstream Upstream, request Headers) Headers {
	if upstream == nil {
		upstream = Respond(200)
	}
	headers := upstream(request)
	if _, ok := headers.Get(":status"); !ok {
		headers = append(Headers{{":status", "200"}}, headers...)
	}
	return headers
}

// received is the response as the client sees it.
func (s *Stream) received(body string) Response {
	status, _ := strconv.Atoi(s.response.Value(":status"))
	response := Response{Status: status, Body: body, Local: s.reply != nil}
	for _, line := range s.response {
		if !strings.HasPrefix(line[0], ":") {
			response.Headers = append(response.Headers, line)
		}
	}
	if s.reply != nil {
		response.Details = s.reply.Details
	}
	return response
}
