// Package readme takes a Markdown document apart into what tests can hold it to: its fenced blocks, the shell transcripts in
// them, its sections, tables, links and code spans. It knows the little of Markdown that the README uses and refuses the
// rest, so that nothing passes unseen.
package readme
