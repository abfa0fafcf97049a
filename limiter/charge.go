package limiter

// Charge is what one rule demands of one request: its limits are charged together or not at all.
type Charge struct {
	Rule     string  // the rule's name, part of the counter's identity
	Route    string  // the route, where the rule counts per route; else empty
	Identity []byte  // an injective encoding of who is counted
	Limits   []Limit // 1 to MaxLimits, no two of one window length
	Cost     uint32  // what is added to each counter, at least 1

	// Shadow charges never refuse. They are charged only with requests that the other charges admit.
	Shadow bool
	// Stagger shifts the client's windows by a stable number of whole seconds.
	Stagger bool
	// Hidden limits are never Shown.
	Hidden bool
	// Refundable says that the counters may go down: by GiveBack, or because another rule's bucket may refuse later. Such
	// counters are never refused from memory.
	Refundable bool
	// Critical says that the request must be refused if this charge cannot be counted. Other charges are left
	// out then, and the rest decides.
	Critical bool
}

func (c *Charge) kind() kind {
	if c.Shadow {
		return shadow
	}
	return enforced
}

// State is where one limit stands after a decision.
type State struct {
	Charge   int    // index of the Charge
	Limit    int    // index of the limit in it
	Budget   uint32 // the limit's Requests
	Window   uint32 // seconds
	Count    uint32 // charged in this window, this request included if it was charged
	Reset    uint32 // end of the window, Unix seconds
	NoRoom   bool   // count + cost exceeded the budget
	Overflow bool   // the client's bucket was full: the counter is shared, or none (OnFull)

	own        uint64 // fingerprint of the client's own counter
	shared     uint64 // fingerprint of the overflow counter; only where sharedSlot was looked for
	offset     uint32 // seconds by which this client's windows are shifted
	slot       int    // of the counter in the bucket; noSlot if nothing is stored
	sharedSlot int    // of the overflow counter, live or not; noSlot if there is none
	entry      entry  // as it will be stored, before the cost is added
	mended     bool   // the entry's end was ahead of any window
}

const noSlot = -1

// Remaining is what is left of the budget, never below 0.
func (s *State) Remaining() uint32 {
	if s.Count >= s.Budget {
		return 0
	}
	return s.Budget - s.Count
}

// Outcome is what became of one Charge.
type Outcome struct {
	Charged bool  // the cost was added to every counter, and stays
	NoRoom  bool  // a limit had no room for it
	Err     error // why it could not be counted; nil if it was decided

	bucket      uint32
	first, last int // its States
}

func (o *Outcome) states(d *Decision) []State { return d.States[o.first:o.last] }

// Decision is the answer to one request. Its slices are valid until the limiter's next Take.
type Decision struct {
	// Allowed says that every enforced limit had room, or could not be counted and is not Critical.
	Allowed bool
	// Err is why a Critical charge could not be counted; the request is then not allowed.
	Err error
	// Cached says that the request was refused from the memory of exhausted counters, without asking the store.
	Cached bool

	Outcomes []Outcome // one a Charge, in their order
	States   []State   // those of each Charge in turn; a cached refusal fills in those with NoRoom only

	// Shown is the state to tell the client, Refuser the one that a refusal waits for, hidden or not; -1 if there is none.
	// Allowed: the smallest remaining, then the latest reset. Refused: of the limits without room a budget of 0, then the
	// latest reset. Then the first.
	Shown, Refuser int

	Now         int64 // the reading of the clock that decided, Unix nanoseconds; 0 if no enforced charge was decided
	Conflicts   int   // swaps that failed because another worker was first
	Overflows   int   // limits that met a full bucket
	LostRefunds int   // charges that could not be taken back after a later refusal
}

// RetryAfter returns the whole seconds to wait after a refusal, rounded up, at least 1. It returns 0 where waiting cannot
// help: nothing refused, or a budget of 0 did.
func (d *Decision) RetryAfter() uint32 {
	if d.Refuser < 0 || d.States[d.Refuser].Budget == 0 {
		return 0
	}
	return d.Until(&d.States[d.Refuser])
}

// Until returns the whole seconds from the decision to the reset of a state, rounded up, at least 1.
func (d *Decision) Until(s *State) uint32 { return secondsUntil(s.Reset, d.Now) }

// conclude chooses what the client is told, and counts the states that met a full bucket.
func (d *Decision) conclude(charges []Charge) {
	d.Shown, d.Refuser = -1, -1
	for i := range d.States {
		s := &d.States[i]
		c := &charges[s.Charge]
		if s.Overflow {
			d.Overflows++
		}
		if c.Shadow || d.Outcomes[s.Charge].Err != nil || d.Err != nil || s.NoRoom == d.Allowed {
			continue
		}
		if !d.Allowed && d.prefers(s, d.Refuser) {
			d.Refuser = i
		}
		if !c.Hidden && d.prefers(s, d.Shown) {
			d.Shown = i
		}
	}
}

// prefers says whether s is to be told rather than the state at index other.
func (d *Decision) prefers(s *State, other int) bool {
	if other < 0 {
		return true
	}
	o := &d.States[other]
	if d.Allowed && s.Remaining() != o.Remaining() {
		return s.Remaining() < o.Remaining()
	}
	if !d.Allowed && (s.Budget == 0) != (o.Budget == 0) {
		return s.Budget == 0
	}
	return s.Reset > o.Reset
}
