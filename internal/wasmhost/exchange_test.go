package wasmhost

import (
	"errors"
	"reflect"
	"testing"
)

func wantHeaders(t *testing.T, got, want Headers) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("headers:\ngot  %q\nwant %q", got, want)
	}
}

func TestAllLinesOfAHeaderAreInThePairsAndTheFirstIsTheValue(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	request := append(command("pairs"), [2]string{"X-Key", "1"}, [2]string{"x-key", "2"})
	if _, err := r.Do(request, nil); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "pairs", logged(t, h, "pairs"), "pairs :method=GET|:path=/|do=pairs|x-key=1|x-key=2")
	request[2][1] = "header X-KEY"
	if _, err := r.Do(request, nil); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "value", logged(t, h, "header"), "header 0 1")
	wantEqual(t, "missing", do(t, r, "header x-other"), "header 1 ")
}

func TestResponseOfTheUpstream(t *testing.T) {
	r := start(t, newHost(t))
	var seen Headers
	response, err := r.Do(command("get k"), func(request Headers) Headers {
		seen = request
		return Headers{{":status", "204"}, {"x-replaced", "1"}, {"X-Removed", "1"}, {"x-kept", "1"}, {"x-replaced", "2"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	wantHeaders(t, seen, command("get k"))
	wantEqual(t, "status", response.Status, 204)
	wantEqual(t, "local", response.Local, false)
	wantHeaders(t, response.Headers, Headers{{"x-kept", "1"}, {"x-replaced", "guest"}, {"x-added", "guest"}})
}

func TestUpstreamDefaults(t *testing.T) {
	r := start(t, newHost(t))
	for _, upstream := range []Upstream{nil, Respond(200), func(Headers) Headers { return nil }} {
		response, err := r.Do(command("get k"), upstream)
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "status", response.Status, 200)
	}
}

func TestLocalReplyRunsTheResponseCallback(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	response, err := r.Do(command("reply 429"), func(Headers) Headers {
		t.Error("the upstream was asked")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "status", response.Status, 429)
	wantEqual(t, "local", response.Local, true)
	wantEqual(t, "details", response.Details, "told_to")
	wantHeaders(t, response.Headers, Headers{{"x-first", "1"}, {"x-second", "2"}, {"x-replaced", "guest"}, {"x-added", "guest"}})
	// The request had been stopped, so its headers can still be read.
	wantEqual(t, "callback", logged(t, h, "response"), "response count=4 eos=1 request=0")
}

func TestBodyOfALocalReply(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	response, err := r.Do(command("reply 503 sorry"), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "body", response.Body, "sorry")
	wantEqual(t, "content-length", response.Headers.Value("content-length"), "5")
	wantEqual(t, "content-type", response.Headers.Value("content-type"), "text/plain")
	wantEqual(t, "callback", logged(t, h, "response"), "response count=6 eos=0 request=0")

	head := command("reply 503 sorry")
	head[0][1] = "HEAD"
	response, err = r.Do(head, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "body for HEAD", response.Body, "")
	wantEqual(t, "content-length for HEAD", response.Headers.Value("content-length"), "5")
}

func TestLocalReplyToGRPC(t *testing.T) {
	r := start(t, newHost(t))
	request := append(command("reply 429 50%"), [2]string{"content-type", "application/grpc+proto"})
	response, err := r.Do(request, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "status", response.Status, 200)
	wantEqual(t, "body", response.Body, "")
	wantEqual(t, "grpc-status", response.Headers.Value("grpc-status"), "8")
	wantEqual(t, "grpc-message", response.Headers.Value("grpc-message"), "50%25")
}

func TestGRPCStatusOfAReplyWithoutOne(t *testing.T) {
	for status, want := range map[int]string{400: "13", 401: "16", 403: "7", 404: "12", 429: "14", 503: "14", 500: "2"} {
		headers, _ := localReply(Headers{{"content-type", "application/grpc"}}, &LocalReply{Status: status, GRPCStatus: -1})
		wantEqual(t, "grpc-status", headers.Value("grpc-status"), want)
	}
}

// Once the request has gone on, its headers are out of reach (BadArgument) until the log phase shows them again.
func TestHeaderMapsOutsideTheirPhase(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	do(t, r, "get k")
	wantEqual(t, "log", h.LogText(), "info create 2 1\ninfo get 1  0\ninfo response count=1 eos=1 request=2\n"+
		"info log 2 get k\ninfo done 2 request=2\ninfo delete 2\n")
}

func TestReplacingTheWholeMap(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	var seen Headers
	_, err := r.Do(command("setpairs"), func(request Headers) Headers { seen = request; return nil })
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "sizes", logged(t, h, "setpairs"), "setpairs 0 26 17")
	wantHeaders(t, seen, Headers{{":method", "PUT"}, {"x-only", "1"}})
}

func TestALocalReplyCanReplaceTheUpstreamsResponse(t *testing.T) {
	h := newHost(t)
	response, err := start(t, h).Do(command("get k"), Respond(200, [2]string{"x-refuse", "why"}))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "status", response.Status, 502)
	wantEqual(t, "body", response.Body, "why")
	wantEqual(t, "local", response.Local, true)
}

func TestPausedResponses(t *testing.T) {
	s, err := start(t, newHost(t)).Begin(command("get k"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(Respond(200, [2]string{"x-pause", "1"})); !errors.Is(err, ErrPaused) {
		t.Errorf("got %v, want ErrPaused", err)
	}
	wantEqual(t, "response so far", s.Response().Value("x-added"), "guest")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestClosedStreams(t *testing.T) {
	s, err := start(t, newHost(t)).Begin(command("close"))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "reset", s.Reset(), true)
	if reply := s.LocalReply(); reply != nil {
		t.Errorf("local reply %v, want none", reply)
	}
}

func TestPausedRequests(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	if _, err := r.Do(command("pause"), nil); !errors.Is(err, ErrPaused) {
		t.Errorf("got %v, want ErrPaused", err)
	}
	s, err := r.Begin(command("pause"))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "paused", s.Paused(), true)
	if _, err := s.Finish(nil); !errors.Is(err, ErrPaused) {
		t.Errorf("got %v, want ErrPaused", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
