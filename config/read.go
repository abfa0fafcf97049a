package config

import "strings"

// read returns the tree of the configuration, or nil after a mistake that leaves nothing to decode.
func (d *decoder) read(smallest string) *node {
	if strings.Trim(d.input, " \t\r\n") == "" {
		d.add(rootPath, 0, "is empty", "write at least "+smallest)
		return nil
	}
	if d.input[0] != structMark {
		return readText(&d.problems, d.input, "")
	}
	root, ok := readStruct(d.input)
	if ok {
		d.isStruct = true
		return root
	}
	if !startsLikeText(d.input) {
		d.add(rootPath, 0, "is neither JSON nor a protobuf Struct", "write JSON in a StringValue, or a google.protobuf.Struct")
		return nil
	}
	return readText(&d.problems, d.input, "")
}

// startsLikeText reports whether what begins with a line break is more likely meant as text than as a broken Struct,
// whose second byte is a length and whose third is the mark of a key.
func startsLikeText(source string) bool {
	start := strings.TrimLeft(source, " \t\r\n")
	return start[0] >= ' ' && start[0] < 0x7f && !strings.Contains(source, "\x00")
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
