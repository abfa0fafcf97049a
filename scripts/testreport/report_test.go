package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	tests := []struct {
		name   string
		events string
		good   bool
		want   []string
		absent []string
	}{
		{
			name: "passing tests show what they log and nothing else",
			events: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: size 17\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- PASS: TestA (0.00s)\n"}
{"Action":"pass","Package":"p","Test":"TestA/one","Elapsed":0}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.5s\n"}
{"Action":"pass","Package":"p","Elapsed":0.5}
`,
			good:   true,
			want:   []string{"size 17", "2 tests", "PASS  2 tests in 1 packages, 0 failures, 0 skipped"},
			absent: []string{"=== RUN", "--- PASS"},
		},
		{
			name: "a failing test shows all it wrote",
			events: `{"Action":"output","Package":"p","Test":"TestA","Output":"no indent\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
`,
			want: []string{"no indent", "failed:  p TestA", "FAIL  p", "FAIL  1 tests in 0 packages, 2 failures, 0 skipped"},
		},
		{
			name: "a panic outside of a test is shown",
			events: `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"panic: at exit\n"}
{"Action":"fail","Package":"p"}
`,
			want: []string{"panic: at exit", "failed:  p"},
		},
		{
			name: "what did not build is shown",
			events: `{"Action":"build-output","ImportPath":"p [p.test]","Output":"a.go:1:1: undefined: x\n"}
{"Action":"build-fail","ImportPath":"p [p.test]"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}
`,
			want: []string{"undefined: x", "failed:  p"},
		},
		{
			name: "a skipped test is a failure",
			events: `{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: not here\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}
`,
			want: []string{"not here", "skipped: p TestA", "FAIL  1 tests in 1 packages, 0 failures, 1 skipped"},
		},
		{
			name: "a package without tests is none",
			events: `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}
{"Action":"skip","Package":"q"}
`,
			good: true,
			want: []string{"q", "no tests", "PASS  1 tests in 1 packages"},
		},
		{name: "no test ran", events: `{"Action":"skip","Package":"q"}` + "\n", want: []string{"FAIL  0 tests"}},
		{name: "empty", events: "", want: []string{"FAIL  0 tests"}},
		{name: "other lines pass through", events: "go: downloading x\n", want: []string{"go: downloading x"}},
		{
			name:   "the last line may lack its end",
			events: `{"Action":"pass","Package":"p","Test":"TestA"}`,
			good:   true,
			want:   []string{"PASS  1 tests"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			r := newReport(&out)
			if err := r.readAll(strings.NewReader(tt.events)); err != nil {
				t.Fatal(err)
			}
			if good := r.conclude(); good != tt.good {
				t.Errorf("success is %v, want %v", good, tt.good)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("report lacks %q:\n%s", want, &out)
				}
			}
			for _, absent := range tt.absent {
				if strings.Contains(out.String(), absent) {
					t.Errorf("report has %q:\n%s", absent, &out)
				}
			}
		})
	}
}
