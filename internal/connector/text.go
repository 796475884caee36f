package connector

import (
	"strings"
	"unicode"
)

// line is the first line of a text, cut to what a message can take.
func line(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(strings.ToValidUTF8(text, "?")), "\n")
	if r := []rune(text); len(r) > 200 {
		text = string(r[:200]) + "…"
	}
	return text
}

// Line is a text of a platform in the form of a message: without markup, on one line, cut to 200 characters.
func Line(text string) string { return line(Plain(text)) }

// Plain is a text without markup, on one line.
func Plain(text string) string {
	var out strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case r == '<':
			depth++
		case r == '>' && depth > 0:
			depth--
			out.WriteByte(' ')
		case depth > 0:
		case r < ' ':
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// Cut is a text without white space at its ends, cut to so many characters.
func Cut(text string, most int) string {
	text = strings.TrimSpace(text)
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// Slug is a text in small letters, digits and hyphens, as it stands in addresses; "" if nothing of it can.
func Slug(text string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			out.WriteRune(r)
		} else if out.Len() > 0 && !strings.HasSuffix(out.String(), "-") {
			out.WriteByte('-')
		}
	}
	return strings.Trim(out.String(), "-")
}

// Letters are the letters and digits of a name, in small letters: names that people write differ in the rest.
func Letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, strings.ToLower(name))
}
