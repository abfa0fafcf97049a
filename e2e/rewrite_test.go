package e2e

import "flag"

var rewrite = flag.Bool("update", false, "write the tables under testdata anew")
