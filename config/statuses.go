package config

import "strconv"

// Statuses is a set of response statuses. The zero value is empty.
type Statuses struct {
	bits [8]uint64 // of status-firstStatus
}

const (
	firstStatus = 100
	lastStatus  = 599
)

// Empty reports whether no status is in the set.
func (s *Statuses) Empty() bool { return s.bits == [8]uint64{} }

// Has reports whether a status is in the set. Statuses outside 100 to 599 never are.
func (s *Statuses) Has(status int) bool {
	if status < firstStatus || status > lastStatus {
		return false
	}
	i := status - firstStatus
	return s.bits[i/64]>>(i%64)&1 != 0
}

func (s *Statuses) add(status int) {
	i := status - firstStatus
	s.bits[i/64] |= 1 << (i % 64)
}

const statusesAdvice = `write a list of statuses such as ["401", "403", "5xx"]`

// statuses reads a list of statuses and of classes such as 5xx.
func (d *decoder) statuses(n *node) Statuses {
	var set Statuses
	for _, e := range d.list(n, statusesAdvice) {
		first, last, ok := d.statusRange(e)
		if !ok {
			continue
		}
		before := set
		for status := first; status <= last; status++ {
			set.add(status)
		}
		if set == before {
			d.fail(e, quote(e.text)+" is in the list already", "remove it")
		}
	}
	return set
}

// statusRange reads one status or a class of them.
func (d *decoder) statusRange(n *node) (first, last int, ok bool) {
	advice := statusesAdvice
	if n.kind == kindNumber {
		advice = "write " + quote(n.text) + " with quotes"
	}
	text, ok := d.text(n, advice)
	if !ok {
		return 0, 0, false
	}
	if len(text) == 3 && '1' <= text[0] && text[0] <= '5' {
		first := int(text[0]-'0') * 100
		if text[1:] == "xx" {
			return first, first + 99, true
		}
		if status, err := strconv.Atoi(text); err == nil {
			return status, status, true
		}
	}
	d.fail(n, quote(text)+" is not a status from 100 to 599 or a class such as 5xx", advice)
	return 0, 0, false
}
