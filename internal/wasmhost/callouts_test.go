package wasmhost

import (
	"errors"
	"testing"
	"time"
)

// ask begins a request that waits for the answer to a gRPC call.
func ask(t *testing.T, r *Root) (*Stream, *GRPCCall) {
	t.Helper()
	s, err := r.Begin(command("grpc"))
	if err != nil {
		t.Fatal(err)
	}
	calls := r.VM().GRPCCalls()
	if len(calls) != 1 || !s.Paused() {
		t.Fatalf("%d calls waiting, paused %v; want one, and a paused stream", len(calls), s.Paused())
	}
	return s, calls[0]
}

func TestGRPCAnswerContinuesTheStream(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	s, call := ask(t, r)
	wantEqual(t, "method", call.ServiceName+"/"+call.Method, "pkg.Service/Method")
	wantEqual(t, "message", string(call.Message), "question")
	wantEqual(t, "timeout", call.Timeout, 50*time.Millisecond)
	wantEqual(t, "stream", call.StreamID, s.ID())
	if err := r.VM().ReplyGRPC(call.Token, []byte("answer")); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "log", logged(t, h, "grpc_receive"), "grpc_receive 1 1 answer")
	response, err := s.Finish(nil)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "status", response.Status, 200)
	if err := r.VM().ReplyGRPC(call.Token, nil); !errors.Is(err, ErrNoCall) {
		t.Errorf("a second answer: got %v, want ErrNoCall", err)
	}
}

func TestGRPCFailureCanBeAnsweredLocally(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	s, call := ask(t, r)
	if err := r.VM().FailGRPC(call.Token, 14, "down"); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "log", logged(t, h, "grpc_close"), "grpc_close 1 1 14 14 down")
	response, err := s.Finish(nil)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "status", response.Status, 503)
	wantEqual(t, "local", response.Local, true)
}

func TestGRPCCancelled(t *testing.T) {
	r := start(t, newHost(t))
	s, call := ask(t, r)
	wantEqual(t, "cancelled once", do(t, r, "cancel"), "cancel 0 1")
	if err := r.VM().FailGRPC(call.Token, 4, "late"); !errors.Is(err, ErrNoCall) {
		t.Errorf("got %v, want ErrNoCall", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestHTTPCall(t *testing.T) {
	h := newHost(t)
	r := start(t, h)
	wantEqual(t, "started", do(t, r, "http"), "http 0")
	do(t, r, "http")
	calls := r.VM().HTTPCalls()
	if len(calls) != 2 {
		t.Fatalf("%d calls waiting, want 2", len(calls))
	}
	wantEqual(t, "request", calls[0].Cluster+calls[0].Headers.Value(":path")+string(calls[0].Body), "cluster/body")
	if err := r.VM().ReplyHTTP(calls[0].Token, Headers{{":status", "201"}}, []byte("made")); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "answer", logged(t, h, "http_response"), "http_response 1 1 201 made")
	h.ResetLogs()
	if err := r.VM().FailHTTP(calls[1].Token); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "failure", logged(t, h, "http_response"), "http_response 2 0  ")
}
