package wasmhost

import (
	"bytes"
	"fmt"
)

// Stream is one HTTP request in a root. Its methods run the callbacks one by one; [Root.Do] runs them all.
type Stream struct {
	root *Root
	id   uint32

	request, response         Headers
	requestOpen, responseOpen bool // the guest can reach the map
	logging                   bool // in proxy_on_log both maps can be read
	properties                map[string][]byte
	reply                     *LocalReply
	continued                 [2]bool // proxy_continue_stream was called: for the request, for the response
	reset                     bool
	paused                    bool // the last header callback returned Pause, and nothing has continued it
}

// LocalReply is a response the guest sent itself.
type LocalReply struct {
	Status     int
	Details    string
	Body       string
	Headers    Headers
	GRPCStatus int32 // -1 for none
}

// NewStream creates a stream context under the root.
func (r *Root) NewStream() (*Stream, error) {
	s := &Stream{root: r, properties: map[string][]byte{}}
	s.id = r.vm.addContext(&guestContext{root: r, stream: s})
	if _, err := r.vm.call("proxy_on_context_create", s.id, uint64(s.id), uint64(r.id)); err != nil {
		return nil, err
	}
	return s, nil
}

// ID is the number of the stream context.
func (s *Stream) ID() uint32 { return s.id }

// Root returns the root the stream runs in.
func (s *Stream) Root() *Root { return s.root }

// SetProperty sets a property of this stream alone, in the form that [Host.SetProperty] describes; nil removes it.
func (s *Stream) SetProperty(value []byte, path ...string) {
	if value == nil {
		delete(s.properties, propertyKey(path))
		return
	}
	s.properties[propertyKey(path)] = bytes.Clone(value)
}

// RequestHeaders runs proxy_on_request_headers over a copy of h and returns the guest's answer as it gave it. endOfStream
// says that no body follows.
func (s *Stream) RequestHeaders(h Headers, endOfStream bool) (Action, error) {
	s.request, s.requestOpen = h.lowered(), true
	action, err := s.headers("proxy_on_request_headers", len(s.request), endOfStream)
	s.requestOpen = s.paused
	return action, err
}

// ResponseHeaders runs proxy_on_response_headers over a copy of h.
func (s *Stream) ResponseHeaders(h Headers, endOfStream bool) (Action, error) {
	s.response, s.responseOpen = h.lowered(), true
	action, err := s.headers("proxy_on_response_headers", len(s.response), endOfStream)
	s.responseOpen = s.paused
	return action, err
}

func (s *Stream) headers(callback string, count int, endOfStream bool) (Action, error) {
	replied := s.reply != nil
	s.paused, s.continued = false, [2]bool{}
	eos := uint64(0)
	if endOfStream {
		eos = 1
	}
	result, err := s.root.vm.callIfExported(0, callback, s.id, uint64(s.id), uint64(count), eos)
	if err != nil {
		return Pause, err
	}
	// A local reply stops the iteration whatever the guest returns.
	newReply := s.reply != nil && !replied
	s.paused = (Action(result) != Continue || newReply) && s.continued == [2]bool{}
	return Action(result), nil
}

// Request returns the request headers as they are now, with the guest's changes: what goes to the upstream.
func (s *Stream) Request() Headers { return s.request.lowered() }

// Response returns the response headers as they are now.
func (s *Stream) Response() Headers { return s.response.lowered() }

// LocalReply returns the response the guest sent itself, or nil.
func (s *Stream) LocalReply() *LocalReply { return s.reply }

// Paused reports whether the stream waits for the guest: a header callback returned Pause, and the guest has neither
// continued nor answered it.
func (s *Stream) Paused() bool { return s.paused && s.reply == nil }

// Reset reports whether the guest closed the stream with proxy_close_stream.
func (s *Stream) Reset() bool { return s.reset }

// Log runs proxy_on_log, where both header maps can be read.
func (s *Stream) Log() error {
	s.logging = true
	defer func() { s.logging = false }()
	_, err := s.root.vm.callIfExported(0, "proxy_on_log", s.id, uint64(s.id))
	return err
}

// Done runs proxy_on_done and returns its answer, which Envoy does not heed for a stream.
func (s *Stream) Done() (bool, error) {
	done, err := s.root.vm.callIfExported(1, "proxy_on_done", s.id, uint64(s.id))
	return done != 0, err
}

// Delete runs proxy_on_delete and forgets the stream.
func (s *Stream) Delete() error {
	_, err := s.root.vm.callIfExported(0, "proxy_on_delete", s.id, uint64(s.id))
	delete(s.root.vm.contexts, s.id)
	return err
}

// Close ends the stream in Envoy's order: Log, Done, Delete. It is also what happens when a client goes away early.
func (s *Stream) Close() error {
	if err := s.Log(); err != nil {
		return err
	}
	s.requestOpen, s.responseOpen = false, false
	if _, err := s.Done(); err != nil {
		return err
	}
	return s.Delete()
}

// resume notes a proxy_continue_stream for one direction; Envoy takes the request headers away with either.
func (s *Stream) resume(direction uint32) {
	s.continued[direction] = true
	s.paused, s.requestOpen = false, false
}

// String describes the stream for messages of tests.
func (s *Stream) String() string { return fmt.Sprintf("stream %d of %s", s.id, s.root) }
