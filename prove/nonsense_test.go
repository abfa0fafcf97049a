package prove

import (
	"slices"
	"testing"

	"tollgate/prove/forms"
)

// TestNonsense plays random scripts: any headers, any order of callbacks, any configuration, faults and clock steps between.
// Nothing may trap or panic.
func TestNonsense(t *testing.T) {
	t.Parallel()
	seed := seed(t)
	figures, good := nonsenseFigures{}, configurations(t)
	for i := range forms.Pick(100, 1500) {
		script := randomBytes(random(seed, i), 2000)
		if err := playNonsense(t, good, script, &figures); err != nil {
			t.Fatalf("script %d of seed %d: %v\nas a fuzz seed:\n[]byte(%q)", i, seed, err, script)
		}
	}
	forms.Proved(t, "nonsense", "no trap, no panic: %+v (seed %d)", figures, seed)
	if figures.exchanges == 0 || figures.replies == 0 || figures.started == 0 || figures.refused == 0 {
		t.Error("the scripts got nowhere")
	}
}

// FuzzModule is TestNonsense with scripts of Go's choice. What it finds stands under testdata/fuzz.
func FuzzModule(f *testing.F) {
	for i := range 20 {
		f.Add(randomBytes(random(1, i), 500))
	}
	good := configurations(f)
	f.Fuzz(func(t *testing.T, script []byte) {
		if err := playNonsense(t, good, script, &nonsenseFigures{}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNonsenseMemory holds that the memory of a VM stays what it is, however much nonsense it is fed.
func TestNonsenseMemory(t *testing.T) {
	t.Parallel()
	seed := seed(t)
	n := newNonsense(t, configurations(t))
	defer n.host.Close()
	n.tame = true // each name of a metric stays in the VM, so the configurations must be the same ones
	// The same scripts again and again: the most extreme one sets the height once, whatever rises after that is a leak.
	scripts := forms.Pick(50, 750)
	var curve []int64
	for i := range 4 * scripts {
		script := randomBytes(random(seed, i%scripts), 2000)
		if err := n.play(script); err != nil {
			t.Fatalf("script %d of seed %d: %v", i, seed, err)
		}
		n.host.ResetLogs()
		curve = append(curve, int64(n.vm.MemorySize()))
	}
	warm, last := warmAndLast(curve)
	forms.Proved(t, "nonsense memory", "%d scripts in one VM: %s (seed %d)", len(curve), describeCurve(curve), seed)
	const slack = 2 << 20 // when a collection runs is not the same each time
	if last > warm+slack {
		t.Errorf("the VM grew from %d to %d bytes", warm, last)
	}
}

// warmAndLast returns the highest points of the second and of the last quarter of a curve: by the second everything is warm.
func warmAndLast(curve []int64) (warm, last int64) {
	quarter := len(curve) / 4
	return slices.Max(curve[quarter : 2*quarter]), slices.Max(curve[3*quarter:])
}
