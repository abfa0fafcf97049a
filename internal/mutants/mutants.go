package main

// Where mutants are caught.
const (
	interleavings = "./limiter/limitertest TestInterleavings/"
	limiter       = "./limiter "
)

// mutants lists every rule that is taken out, with the test that must notice and a part of what it then prints.
var mutants = []mutant{
	// The rules that make the counting exact for any interleaving of the workers: the exploration must find a schedule that
	// violates the guarantee.
	{"own_entry_not_first", interleavings + "^expired_slots", "was charged 2 of 1"},
	{"overflow_not_sticky", interleavings + "^sticky", "was charged 2 of 1"},
	{"clock_before_get", interleavings + "^stalled", "was refused at"},
	{"clock_not_read_again", interleavings + "^stalled", "was refused at"},
	{"not_decided_again", interleavings + "^cold_start", "was charged 3 of 2"},
	{"memory_not_bound_to_window", interleavings + "^exhausted", "was refused at"},
	{"memory_not_bound_to_window_start", interleavings + "^clock_set_back_far", "told to wait until"},
	{"memory_not_bound_to_budget", interleavings + "^budgets", "was refused at"},
	{"memory_of_refundable", interleavings + "^give_back$", "was refused at"},
	{"no_refund", interleavings + "^two_buckets", "left charge 0 stored"},
	{"several_instants", interleavings + "^two_buckets", "counts in the window to"},
	{"give_back_any_window", interleavings + "^give_back$", "stored"},
	{"give_back_any_client", interleavings + "^give_back_to", "stored"},

	// The rules of counting.
	{"create_overwrites", "./limiter/memstore TestStore", "want ErrExists"},
	{"live_at_its_end", limiter + "TestTimelines", "@1010"},
	{"budget_less_one", limiter + "TestTimelines", "want ok 0/3"},
	{"count_in_32_bits", limiter + "TestTimelines", "want no 1/4294967295"},
	{"end_not_rewritten", limiter + "TestTimelines", "@1020"},
	{"refused_counted", limiter + "TestRefusedAddsNothing", "want 3@3600"},
	{"own_entry_only_if_live", limiter + "TestFullBucket", "one counter stands twice"},
	{"live_counter_evicted", limiter + "TestFullBucket", "overflows 1"},
	{"long_windows_take_all_slots", limiter + "TestFullBucket", "overflows 1"},
	{"identity_not_injective", limiter + "TestIdentityIsInjective", "shares a counter"},
	{"hash_not_keyed", limiter + "TestHashIsKeyed", "does not matter"},
	{"shadow_charged_when_refused", limiter + "TestShadow", "stored"},
	{"given_back_twice", limiter + "TestGiveBackOnce", "stored 0@110"},

	// Memory of exhausted counters.
	{"memory_not_keyed_by_limit", limiter + "TestExhausted", "1/20"},
	{"memory_of_every_counter_without_room", limiter + "TestShown", "retry"},

	// Clocks.
	{"end_ahead_not_mended", limiter + "TestClocks", "@510"},
	{"count_lost_when_mended", limiter + "TestClocks", "want ok 0/2"},
	{"refusal_does_not_mend", limiter + "TestSetBackRefusalWrites", "want get 0, clock, swap 0"},
	{"clock_wraps", limiter + "TestClocks", "error clock"},
	{"retry_rounded_down", limiter + "TestTimelines", "retry"},

	// Faults.
	{"one_attempt", limiter + "TestConflicts", "conflicts 3"},
	{"key_of_its_own", limiter + "TestLoadHashKey", "want 0202"},
	{"foreign_value_kept", limiter + "TestForeignValues", "error corrupt"},
	{"self_test_blind", limiter + "TestSelfTest", "want limiter: store"},
}
