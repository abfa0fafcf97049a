package filter

import (
	"strconv"

	"tollgate/config"
	"tollgate/limiter"
)

// started is the log's line for a configuration that runs.
func started(cfg *config.Config) string {
	return "started with " + strconv.Itoa(len(cfg.Rules)) + " rules and " +
		strconv.FormatUint(uint64(limiter.Buckets(cfg.MaxCounters)), 10) + " buckets for " +
		strconv.FormatUint(uint64(cfg.MaxCounters), 10) + " counters"
}
