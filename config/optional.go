package config

// optional is a setting that may be left out.
type optional[T any] struct {
	value T
	set   bool
}

// maybe wraps the result of a reading.
func maybe[T any](value T, ok bool) optional[T] { return optional[T]{value, ok} }

// or returns o if it is set, else other.
func (o optional[T]) or(other optional[T]) optional[T] {
	if o.set {
		return o
	}
	return other
}

// otherwise returns the value of o if it is set, else value.
func (o optional[T]) otherwise(value T) T {
	if o.set {
		return o.value
	}
	return value
}
