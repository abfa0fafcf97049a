package history

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestRecorder(t *testing.T) {
	now := time.Unix(1000, 0)
	r := NewRecorder(func() time.Time { return now })
	want := Answer{Allowed: true, Limit: 2, Remaining: 1, Reset: 1010}
	record(t, r, "bob", want)
	record(t, r, "alice", want)
	record(t, r, "bob", want)
	failed := errors.New("no answer")
	if err := r.Record(1, "bob", func() (Answer, error) { return want, failed }); err != failed {
		t.Errorf("got %v, want the request's error", err)
	}

	histories := r.Histories()
	if len(histories) != 2 || len(histories[0]) != 1 || len(histories[1]) != 2 {
		t.Fatalf("got %v, want one operation of alice and two of bob", histories)
	}
	o := histories[0][0]
	if o.Client != "alice" || o.Answer != want || o.Earliest != now.UnixNano() || o.Latest != now.UnixNano() {
		t.Errorf("recorded %v", o)
	}
	if bobs := histories[1]; bobs[0].Call > bobs[0].Return || bobs[0].Return > bobs[1].Call {
		t.Errorf("recorded out of order: %v", bobs)
	}
}

func TestRecorderFromSeveralGoroutines(t *testing.T) {
	r := NewRecorder(time.Now)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				record(t, r, "alice", Answer{})
			}
		})
	}
	all.Wait()
	if n := len(r.Histories()[0]); n != 400 {
		t.Errorf("%d operations, want 400", n)
	}
}

func record(t *testing.T, r *Recorder, client string, a Answer) {
	t.Helper()
	if err := r.Record(0, client, func() (Answer, error) { return a, nil }); err != nil {
		t.Error(err)
	}
}

// lines are a response's header.
type lines [][2]string

func (l lines) Values(name string) []string {
	var values []string
	for _, line := range l {
		if line[0] == name {
			values = append(values, line[1])
		}
	}
	return values
}

func TestReadAnswer(t *testing.T) {
	good := lines{{"x-ratelimit-limit", "2"}, {"x-ratelimit-remaining", "1"}, {"x-ratelimit-reset", "1010"}}
	with := func(i int, value string) lines {
		l := slices.Clone(good)
		l[i][1] = value
		return l
	}
	tests := []struct {
		name   string
		status int
		header lines
		want   Answer
		ok     bool
	}{
		{"allowed", 200, good, Answer{true, 2, 1, 1010}, true},
		{"refused", 429, good, Answer{false, 2, 1, 1010}, true},
		{"a failure", 503, good, Answer{}, false},
		{"no headers", 200, nil, Answer{}, false},
		{"a header twice", 200, append(slices.Clone(good), good[1]), Answer{}, false},
		{"a negative number", 200, with(1, "-1"), Answer{}, false},
		{"a fraction", 200, with(2, "1010.5"), Answer{}, false},
		{"a text", 200, with(0, "two"), Answer{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadAnswer(tt.status, tt.header)
			if (err == nil) != tt.ok || tt.ok && got != tt.want {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
