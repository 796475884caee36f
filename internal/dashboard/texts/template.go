package texts

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A template is plain English. Its sentences are found where it is parsed: a run of text between tags that end a
// line or a cell, with the actions and the inline tags in it, is one text with one translation:
//
//	<p>Sent {{.Count}} times to <code>{{.URL}}</code></p>
//
// What an action shows goes through the template function text, because labels come from Go; but not in <bdi>, which
// has names that people typed, and in <code>, which has what is nobody's language.

// piece is a part of the source of a template.
type piece struct {
	kind   kind
	source string
	tag    string // its name, if it is one
}

type kind int

const (
	words   kind = iota // text of the page
	value               // an action that shows something
	control             // an action that does not: if, range, end, template
	lineEnd             // the comment that stands for the end of a line
	opening             // a tag
	closing
)

var (
	pieces   = regexp.MustCompile(`(?s)\{\{.*?\}\}|<!.*?>|</?[a-zA-Z](?:\{\{.*?\}\}|[^<>{])*>|[^<{]+|.`)
	controls = regexp.MustCompile(`^\{\{-?\s*(if|else|end|range|with|define|template|block|break|continue|/\*|\$\w*\s*:?=)`)
	tagName  = regexp.MustCompile(`^</?([a-zA-Z0-9]+)`)
	// spoken are the attributes that people read or hear.
	spoken = regexp.MustCompile(`((?:\s|\}\})(?:aria-label|title|placeholder|alt|data-label|data-unsure|data-away|data-copied|data-by-hand|data-some|data-next|data-every)=")((?:\{\{.*?\}\}|[^"{])*)(")`)
	// attributes is text that is in a tag, where a template defines a part of one.
	attributes = regexp.MustCompile(`^\s*[a-z-]+="`)
)

// inline are the tags that a sentence may have in it; verbatim those whose content is left alone.
var (
	inline   = []string{"b", "bdi", "code", "em", "i", "kbd", "strong", "wbr"}
	verbatim = []string{"bdi", "code", "pre", "textarea"}
)

// split cuts the source of a template into pieces.
func split(source string) []piece {
	var list []piece
	for _, text := range pieces.FindAllString(source, -1) {
		p := piece{source: text}
		switch {
		case strings.HasPrefix(text, "{{/*\n"):
			p.kind = lineEnd
		case controls.MatchString(text):
			p.kind = control
		case strings.HasPrefix(text, "{{"):
			p.kind = value
		case tagName.MatchString(text):
			p.tag = strings.ToLower(tagName.FindStringSubmatch(text)[1])
			if p.kind = opening; text[1] == '/' {
				p.kind = closing
			}
		}
		list = append(list, p)
	}
	return list
}

// Runs are the texts in the source of a template, in its order.
func Runs(source string) []string {
	var list []string
	rewriting{text: func(text string) string {
		list = append(list, text)
		return text
	}}.source(source)
	return list
}

// rewriting replaces the texts of a template.
type rewriting struct{ text func(string) string }

// source is the source of a template with its texts replaced.
func (w rewriting) source(source string) string {
	var out strings.Builder
	var run []piece
	left := "" // the verbatim tag that the pieces are in
	flush := func() {
		out.WriteString(w.run(run))
		run = run[:0]
	}
	for _, p := range split(source) {
		switch {
		case left != "":
			out.WriteString(p.source)
			if p.kind == closing && p.tag == left {
				left = ""
			}
			continue
		case p.kind == control, p.tag != "" && !slices.Contains(inline, p.tag):
			flush()
			if p.kind == opening {
				p.source = w.tag(p.source)
			}
			out.WriteString(p.source)
			if p.kind == opening && slices.Contains(verbatim, p.tag) {
				left = p.tag
			}
		default:
			run = append(run, p)
		}
	}
	flush()
	return out.String()
}

// run is a run of pieces with its sentence replaced. The blanks, and the tags that open or close around it, are no
// part of the sentence.
func (w rewriting) run(run []piece) string {
	from, to := 0, len(run)
	for from < to {
		first, last := run[from], run[to-1]
		switch {
		case first.empty(), first.kind == closing, first.kind == opening && end(run[from:to]) < 0:
			from++
		case last.empty(), last.kind == opening, last.kind == closing && begin(run[from:to]) < 0:
			to--
		case first.kind == opening && end(run[from:to]) == to-from-1 && slices.Contains(verbatim, first.tag):
			return w.shown(run)
		case first.kind == opening && end(run[from:to]) == to-from-1:
			from, to = from+1, to-1
		default:
			return w.shown(run[:from]) + w.sentence(run[from:to]) + w.shown(run[to:])
		}
	}
	return w.shown(run)
}

func (p piece) empty() bool {
	return p.kind == lineEnd || p.kind == words && strings.TrimSpace(p.source) == ""
}

// end is the index of the tag that closes the first piece, and begin of the one that opens the last; -1 without one.
func end(run []piece) int {
	depth := 0
	for i, p := range run {
		switch p.kind {
		case opening:
			depth++
		case closing:
			depth--
		}
		if depth == 0 && p.kind == closing {
			return i
		}
	}
	return -1
}

func begin(run []piece) int {
	depth := 0
	for i, p := range slices.Backward(run) {
		switch p.kind {
		case closing:
			depth++
		case opening:
			depth--
		}
		if depth == 0 && p.kind == opening {
			return i
		}
	}
	return -1
}

// sentence replaces the text that the pieces are.
func (w rewriting) sentence(list []piece) string {
	var source strings.Builder
	hasWords := false
	for _, p := range list {
		if p.kind != lineEnd {
			source.WriteString(p.source)
		}
		hasWords = hasWords || p.kind == words && strings.ContainsFunc(p.source, unicode.IsLetter)
	}
	text := source.String()
	bare := strings.TrimSpace(text)
	if !hasWords || attributes.MatchString(bare) {
		return w.shown(list)
	}
	before, after, _ := strings.Cut(text, bare)
	return before + w.shown(split(w.text(bare))) + after
}

// shown are pieces as they are, but for what their actions and attributes show.
func (w rewriting) shown(list []piece) string {
	var out strings.Builder
	left := ""
	for _, p := range list {
		switch {
		case p.kind == value && left == "":
			out.WriteString("{{text (" + strings.Trim(p.source, "{}") + ")}}")
			continue
		case p.kind == opening && left == "":
			p.source = w.tag(p.source)
			if slices.Contains(verbatim, p.tag) {
				left = p.tag
			}
		case p.kind == closing && p.tag == left:
			left = ""
		}
		out.WriteString(p.source)
	}
	return out.String()
}

// tag is an opening tag with the texts of its attributes replaced.
func (w rewriting) tag(source string) string {
	return spoken.ReplaceAllStringFunc(source, func(found string) string {
		part := spoken.FindStringSubmatch(found)
		var out strings.Builder
		var run []piece
		for _, p := range split(part[2]) {
			if p.kind == control {
				out.WriteString(w.run(run) + p.source)
				run = nil
				continue
			}
			run = append(run, p)
		}
		return part[1] + out.String() + w.run(run) + part[3]
	})
}
