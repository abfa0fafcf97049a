package config

import "strings"

// index finds the alternatives that may match a request without looking at all of them. Alternatives with an exact path,
// a prefix or a template stand in a tree of path segments; the others must be tried one by one.
type index struct {
	alternatives []alternative // of all rules, in their order
	rules        []int         // the rule of each alternative
	first        []int32       // the first alternative of each rule
	untreed      []int32       // alternatives that do not stand in the tree, ascending
	tree         *branch       // nil if none does
}

// branch is a node of the tree: what is known after some segments of a path. All lists ascend.
type branch struct {
	literals map[string]*branch
	variable *branch
	here     []int32 // the path ends here
	prefix   []int32 // the path ends or goes on here
	below    []int32 // the path goes on here, at least with a slash
}

// newIndex returns an index of rules with these matches; an empty one matches everything.
func newIndex(matches [][]alternative) *index {
	x := &index{}
	for rule, list := range matches {
		x.first = append(x.first, int32(len(x.alternatives)))
		if len(list) == 0 {
			list = []alternative{{}}
		}
		for i := range list {
			x.add(rule, &list[i])
		}
	}
	return x
}

func (x *index) add(rule int, a *alternative) {
	place := int32(len(x.alternatives))
	x.alternatives = append(x.alternatives, *a)
	x.rules = append(x.rules, rule)
	if a.path.kind == anyPath || a.path.kind == regexPath {
		x.untreed = append(x.untreed, place)
		return
	}
	if x.tree == nil {
		x.tree = &branch{}
	}
	x.tree.insert(&a.path, place)
}

// insert puts the alternative at this place into the tree.
func (b *branch) insert(p *pathMatch, place int32) {
	switch {
	case p.kind == templatePath:
		for _, s := range p.segments {
			b = b.child(s)
		}
		b.here = append(b.here, place)
	case p.kind == exactPath:
		b = b.walk(p.text)
		b.here = append(b.here, place)
	case strings.HasSuffix(p.text, "/"):
		b = b.walk(strings.TrimSuffix(p.text, "/"))
		b.below = append(b.below, place)
	default:
		b = b.walk(p.text)
		b.prefix = append(b.prefix, place)
	}
}

// walk returns the branch at the end of a path without variables, making what is missing. An empty one ends at b.
func (b *branch) walk(path string) *branch {
	rest, more := strings.CutPrefix(path, "/")
	for more {
		var text string
		text, rest, more = strings.Cut(rest, "/")
		b = b.child(segment{text: text})
	}
	return b
}

func (b *branch) child(s segment) *branch {
	if s.variable {
		if b.variable == nil {
			b.variable = &branch{}
		}
		return b.variable
	}
	if b.literals == nil {
		b.literals = map[string]*branch{}
	}
	next := b.literals[s.text]
	if next == nil {
		next = &branch{}
		b.literals[s.text] = next
	}
	return next
}

// find appends the lists of all alternatives that a path may match which goes on from b with rest, or ends at b. It
// visits no more branches than the tree has, however long the path is.
func (b *branch) find(rest string, goesOn bool, lists [][]int32) [][]int32 {
	lists = appendList(lists, b.prefix)
	if !goesOn {
		return appendList(lists, b.here)
	}
	lists = appendList(lists, b.below)
	text, rest, goesOn := strings.Cut(rest, "/")
	if next := b.literals[text]; next != nil {
		lists = next.find(rest, goesOn, lists)
	}
	if b.variable != nil && text != "" {
		lists = b.variable.find(rest, goesOn, lists)
	}
	return lists
}

func appendList(lists [][]int32, list []int32) [][]int32 {
	if len(list) == 0 {
		return lists
	}
	return append(lists, list)
}

// candidates returns the lists of alternatives that may match the request.
func (x *index) candidates(r *Request) [][]int32 {
	if r.indexed == x {
		return r.candidates
	}
	r.indexed = x
	r.candidates = appendList(r.candidates[:0], x.untreed)
	if x.tree != nil {
		if path, ok := r.Path(); ok {
			r.candidates = x.tree.find(path[1:], true, r.candidates)
		}
	}
	return r.candidates
}

// next returns the first rule at or after from that matches the request, or -1.
func (x *index) next(r *Request, from int) int {
	if from < 0 {
		from = 0
	}
	if from >= len(x.first) {
		return -1
	}
	lists := x.candidates(r)
	for at := x.first[from]; ; at++ {
		at = earliest(lists, at)
		if at < 0 {
			return -1
		}
		if x.alternatives[at].matches(r) {
			return x.rules[at]
		}
	}
}

// earliest returns the smallest number in the lists that is not below least, or -1.
func earliest(lists [][]int32, least int32) int32 {
	best := int32(-1)
	for _, list := range lists {
		i := lowerBound(list, least)
		if i < len(list) && (best < 0 || list[i] < best) {
			best = list[i]
		}
	}
	return best
}

// lowerBound returns the place of the first number in an ascending list that is not below least.
func lowerBound(list []int32, least int32) int {
	low, high := 0, len(list)
	for low < high {
		middle := (low + high) / 2
		if list[middle] < least {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}
