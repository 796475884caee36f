package dashboard

import "strings"

// joined is the text of a template without its layout. Templates are indented with tabs, so that people can read
// them; that is no part of the page. A line break and the tabs behind it are left out, and so is the break before the
// {{end}} of a definition. Where words or attributes are on both sides, a space replaces them; elsewhere a line that
// begins with a space behind its tabs has that space. A line without a tab keeps its break, as preformatted text
// needs it. What is left out becomes a comment of as many lines, so that errors name the line of the file.
func joined(source string) string {
	var b strings.Builder
	before, comment := "", false
	for i, line := range strings.Split(source, "\n") {
		text := strings.TrimLeft(line, "\t")
		switch {
		case i == 0:
		case comment, len(text) == len(line) && line != "{{end}}":
			b.WriteByte('\n')
		default:
			if text != "" && before != "" && isWord(before[len(before)-1]) && isWord(text[0]) {
				b.WriteByte(' ')
			}
			b.WriteString("{{/*\n*/}}")
		}
		b.WriteString(text)
		if begins, ends := strings.LastIndex(text, "{{/*"), strings.LastIndex(text, "*/}}"); begins != ends {
			comment = begins > ends
		}
		before = text
	}
	return b.String()
}

// isWord reports whether a byte at the edge of a line belongs to words or attributes, and not to a tag, an action or
// a space.
func isWord(edge byte) bool { return !strings.ContainsRune("<>{} ", rune(edge)) }
