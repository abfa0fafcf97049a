package prove

import (
	"math/rand/v2"
	"strings"
)

// choices is a string of bytes that decides what a script does. At its end every choice is the first one, so that a script that
// was cut short still plays.
type choices struct{ left []byte }

func (c *choices) done() bool { return len(c.left) == 0 }

func (c *choices) byte() byte {
	if c.done() {
		return 0
	}
	b := c.left[0]
	c.left = c.left[1:]
	return b
}

// below returns a number from 0 to n-1; n is at most 65536.
func (c *choices) below(n int) int {
	v := int(c.byte())
	if n > 256 {
		v = v<<8 | int(c.byte())
	}
	return v % n
}

// yes is true once in so many times.
func (c *choices) yes(in int) bool { return c.below(in) == in-1 }

// bytes returns n bytes: literally those of the string if they are few, else some that two of its bytes determine.
func (c *choices) bytes(n int) string {
	var text strings.Builder
	if n <= 16 {
		for range n {
			text.WriteByte(c.byte())
		}
		return text.String()
	}
	numbers := random(uint64(c.byte()), int(c.byte()))
	for range n {
		text.WriteByte(byte(numbers.Uint32()))
	}
	return text.String()
}

// branch returns choices of their own, which two bytes determine: for what would use a script up.
func (c *choices) branch() *choices {
	return &choices{randomBytes(random(uint64(c.byte()), int(c.byte())), 10_000)}
}

// of returns one of several.
func of[T any](c *choices, from []T) T { return from[c.below(len(from))] }

// randomBytes returns up to most bytes.
func randomBytes(numbers *rand.Rand, most int) []byte {
	b := make([]byte, 1+numbers.IntN(most))
	for i := range b {
		b[i] = byte(numbers.Uint32())
	}
	return b
}
