package config

import "strings"

// read returns the tree of the configuration, or nil after a mistake that leaves nothing to decode.
func (d *decoder) read(smallest string) *node {
	if root, ok := readStruct(d.input); ok {
		d.isStruct = true
		return root
	}
	if isBrokenStruct(d.input) {
		d.add(rootPath, 0, "is neither JSON nor a protobuf Struct", "write JSON in a StringValue, or a google.protobuf.Struct")
		return nil
	}
	return readText(&d.problems, d.input, "", "write at least "+smallest)
}

// isBrokenStruct reports whether what begins like a Struct, and with the line break that is the same byte, is more likely
// a broken one than a broken text. Text has no control characters; of the bytes of a Struct many are lengths and tags.
func isBrokenStruct(input string) bool {
	isControl := func(c rune) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' }
	return input != "" && input[0] == structMark && strings.ContainsFunc(input, isControl)
}

// errors returns the mistakes with their positions.
func (d *decoder) errors() Errors { return d.located(&d.problems) }

// warningTexts returns the warnings with their positions, one line each.
func (d *decoder) warningTexts() []string {
	var texts []string
	for _, w := range d.located(&d.warnings) {
		texts = append(texts, w.Error())
	}
	return texts
}

// located gives problems their positions, if there are any. In a Struct an offset only says what comes first.
func (d *decoder) located(p *problems) Errors {
	errs := p.in(d.input)
	for i := range errs {
		if d.isStruct {
			errs[i].Line, errs[i].Column = 0, 0
		}
	}
	return errs
}
