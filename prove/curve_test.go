package prove

import (
	"fmt"
	"strings"
)

// describeCurve shows the end of each tenth of a curve of bytes, in KiB.
func describeCurve(curve []int64) string {
	var points []string
	for i := 1; i <= 10; i++ {
		points = append(points, fmt.Sprint(curve[max(1, len(curve)*i/10)-1]>>10))
	}
	return strings.Join(points, " ") + " KiB"
}
