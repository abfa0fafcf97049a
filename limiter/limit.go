package limiter

// Bounds of a limit. They are held by the configuration; the limiter relies on them.
const (
	// MinWindow and MaxWindow bound a window's length, in seconds: one second to 366 days.
	MinWindow = 1
	MaxWindow = 366 * 24 * 60 * 60
	// MaxLimits is how many limits one Charge may carry.
	MaxLimits = 8
)

// Limit is a budget per aligned window: at most Requests units of cost in each Window.
type Limit struct {
	Requests uint32 // 0 refuses every request
	Window   uint32 // seconds, MinWindow to MaxWindow
}

// OnFull says what a client gets whose bucket holds no free entry. A live entry is never evicted.
type OnFull uint8

const (
	// ShareWhenFull lets all such clients of a bucket share one overflow counter per limit.
	ShareWhenFull OnFull = iota
	// AllowWhenFull treats each request as the first of its window, and counts nothing.
	AllowWhenFull
	// RefuseWhenFull treats the limit as spent.
	RefuseWhenFull
)
