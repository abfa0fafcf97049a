package prove

import (
	"encoding/binary"
	"slices"
	"time"

	"tollgate/internal/wasmhost"
	"tollgate/limiter"
	"tollgate/prove/forms"
)

// fault is something that goes wrong while requests are decided, and what must come of it.
type fault struct {
	what string // for an operator
	// call is the host call that fails, times how often for each request (negative: always), statuses how; each is tried. callback is
	// where it fails; empty stands for everywhere.
	call, callback string
	times          int
	statuses       []wasmhost.Status
	// inject, corrupt and clock are other causes: an Inject for each request, a stored bucket, the time of day.
	inject  func() func(wasmhost.Call, int) (wasmhost.Status, bool)
	corrupt []byte
	clock   time.Time
	spent   bool // the client has spent its budget before
	// settings and rule are fields that the configuration has besides, at the top and in its rule.
	settings, rule string
	usually        int // what the upstream answers without the fault; 0 stands for 200, which it answers under the fault

	want outcome
}

// outcome is what comes of a request, for the client and for the operator.
type outcome struct {
	allow, refuse string // what the client gets under on_error allow, and under refuse
	counted       string
	log           string // the error that is logged, once for each VM; empty for none
	metrics       string // what is added to tollgate.<domain>.*, for each such request
}

// every returns all results that a host call can have, but for OK and those excepted. The short form makes do with a few.
func every(except ...wasmhost.Status) []wasmhost.Status {
	var all []wasmhost.Status
	for s := forms.Pick(wasmhost.BadArgument, wasmhost.NotFound); s <= wasmhost.Unimplemented; s += forms.Pick[wasmhost.Status](8, 1) {
		if !slices.Contains(except, s) {
			all = append(all, s)
		}
	}
	return all
}

// The texts that recur in the tables.
const (
	normal = "200 with headers"
	bare   = "200 without headers"

	yes  = "yes"
	no   = "no"
	lost = "no, and the bucket's other counters are lost"

	oneAllowed = "`api.allowed` +1"
)

var (
	counted   = outcome{normal, normal, yes, "", oneAllowed}
	contended = outcome{bare, "503", no, "a bucket of counters changed under every attempt to swap it", "`cas_conflicts` +64, `errors_contended` +1"}
	unstored  = outcome{bare, "503", no, "the proxy's shared data could not be read or written", "`errors_store` +1"}
	timeless  = outcome{bare, "503", no, "the clock failed or stands outside the years 1970 to 2106", "`errors_clock` +1"}
	corrupted = outcome{bare, "503", lost, "a bucket of counters was not of this layout and was replaced by an empty one", "`errors_corrupt` +1"}
)

// after returns the outcome counted after so many conflicts.
func after(conflicts string) outcome {
	o := counted
	o.metrics += ", `cas_conflicts` +" + conflicts
	return o
}

// faults lists what can go wrong with requests, in the order of the table.
func faults() []fault {
	second := func(s wasmhost.Status, name string) func() func(wasmhost.Call, int) (wasmhost.Status, bool) {
		return func() func(wasmhost.Call, int) (wasmhost.Status, bool) { return conflictThen(name, s) }
	}
	return []fault{
		{what: "the request's headers cannot be read", call: "get_header_map_pairs", times: -1, statuses: every(),
			want: outcome{bare, "503", no, "headers could not be read or written", "`errors_headers` +1"}},
		{what: "shared data cannot be read", call: "get_shared_data", times: -1, statuses: every(wasmhost.NotFound), want: unstored},
		{what: "shared data cannot be read again after a conflict", inject: second(wasmhost.InternalFailure, "get_shared_data"),
			want: with(unstored, "`cas_conflicts` +1, `errors_store` +1")},
		{what: "shared data cannot be written", call: "set_shared_data", times: -1, statuses: every(wasmhost.CASMismatch), want: unstored},
		{what: "another worker was first, once", call: "set_shared_data", times: 1, statuses: conflict, want: after("1")},
		{what: "another worker was first, 3 times", call: "set_shared_data", times: 3, statuses: conflict, want: after("3")},
		{what: "another worker was first, 63 times", call: "set_shared_data", times: 63, statuses: conflict, want: after("63")},
		{what: "another worker is always first", call: "set_shared_data", times: -1, statuses: conflict, want: contended},
		{what: "a bucket that exists is not found, once", call: "get_shared_data", times: 1, statuses: notFound, want: after("1")},
		{what: "a bucket that exists is not found when it is read again after a conflict", inject: second(wasmhost.NotFound, "get_shared_data"),
			want: after("2")},
		{what: "a bucket that exists is never found", call: "get_shared_data", times: -1, statuses: notFound, want: contended},
		{what: "a stored bucket is truncated", corrupt: []byte("\x01 too short")[:9], want: corrupted},
		{what: "a stored bucket is empty", corrupt: []byte{}, want: corrupted},
		{what: "a stored bucket is another program's", corrupt: []byte(`{"counters": {"alice": 3}, "format": "json"}`), want: corrupted},
		{what: "a stored bucket is of a future version", corrupt: append([]byte{2}, make([]byte, 16)...), want: corrupted},
		{what: "a stored bucket is too long", corrupt: append([]byte{1}, make([]byte, 16*100)...), want: corrupted},
		{what: "a bucket is full, and so are its overflow counters", corrupt: fullBucket(), want: outcome{bare, "503", no,
			"a bucket had no free counter and no free overflow counter: raise max_counters", "`errors_table` +1"}},
		{what: "the clock cannot be read", call: "get_current_time_nanoseconds", times: -1, statuses: every(), want: timeless},
		{what: "the clock stands at 0 (1970)", clock: time.Unix(0, 0), want: counted},
		{what: "the clock is past 2038 (31 bits)", clock: time.Unix(1<<31, 0), want: counted},
		{what: "the clock is past 2106 (32 bits)", clock: time.Unix(1<<32, 0), want: timeless},
		{what: "an attribute that names the client cannot be read (`on_unidentified: refuse`)", call: "get_property", times: -1, statuses: every(),
			settings: `"identity": [{"route": {}}], "on_unidentified": "refuse",`, want: outcome{"401", "401", no, "", ""}},
		{what: "the upstream cannot be told of shadow rules", call: "remove_header_map_value", times: -1, statuses: every(),
			settings: `"shadow_header": "x-would-be",`, want: unwritten(normal)},
		{what: "the response's headers cannot be written", call: "replace_header_map_value", times: -1, statuses: every(), want: unwritten(bare)},
		{what: "the response's `access-control-expose-headers` cannot be written", call: "add_header_map_value", times: -1, statuses: every(),
			settings: `"ratelimit_headers": {"expose": true},`, want: unwritten(normal)},
		{what: "the response's status cannot be read (`count_statuses`)", call: "get_header_map_value", times: -1, statuses: every(),
			rule: `"count_statuses": ["401"],`, usually: 401, want: unwritten(normal)},
		{what: "a charge cannot be given back (`count_statuses`)", call: "set_shared_data", callback: "proxy_on_response_headers", times: -1, statuses: every(),
			rule: `"count_statuses": ["401"],`, usually: 401,
			want: outcome{normal, normal, yes, "a charge could not be given back and stays until its window ends", oneAllowed + ", `errors_refund` +1"}},
		{what: "a refusal cannot be sent", call: "send_local_response", times: -1, statuses: every(), spent: true,
			want: outcome{normal, normal, no, "a reply could not be sent, the request went on", "`api.limited` +1, `errors_reply` +1"}},
		{what: "metrics cannot be passed on (the next tick passes them on)", call: "increment_metric", times: -1, statuses: every(), want: counted},
	}
}

// unwritten is an admitted request whose headers are not all read or written.
func unwritten(client string) outcome {
	return outcome{client, client, yes, "headers could not be read or written", oneAllowed + ", `errors_headers` +1"}
}

var (
	conflict = []wasmhost.Status{wasmhost.CASMismatch}
	notFound = []wasmhost.Status{wasmhost.NotFound}
)

func with(o outcome, metrics string) outcome {
	o.metrics = metrics
	return o
}

// conflictThen lets the first write conflict, and the next call of a name have a status.
func conflictThen(name string, s wasmhost.Status) func(wasmhost.Call, int) (wasmhost.Status, bool) {
	first, second := wasmhost.Fail("set_shared_data", 1, wasmhost.CASMismatch), wasmhost.Fail(name, 1, s)
	conflicted := false
	return func(c wasmhost.Call, n int) (wasmhost.Status, bool) {
		if conflicted {
			return second(c, n)
		}
		status, override := first(c, n)
		conflicted = override
		return status, override
	}
}

// fullBucket is a bucket of 32 counters of others that are live for most of an hour.
func fullBucket() []byte {
	value := []byte{limiter.LayoutVersion}
	for i := range uint64(32) {
		value = binary.LittleEndian.AppendUint64(value, i)
		value = binary.LittleEndian.AppendUint32(value, 1_700_002_800) // the host's clock stands at 1,700,000,000 s
		value = binary.LittleEndian.AppendUint32(value, 1)
	}
	return value
}
