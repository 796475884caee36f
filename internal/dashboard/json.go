package dashboard

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a piece of JSON with the class of its colour: k for names, s for texts, v for other values.
type token struct{ Class, Text string }

// mostColoured bounds the coloured tokens, each an element of the page: the JSON of an order of 500 lines has eleven
// thousand.
const mostColoured = 400

// colour formats JSON in lines and classifies its tokens, the first of them. Text that is no JSON is one token.
func colour(text string) []token { return colourTo(text, mostColoured) }

// colourTo is colour with another bound.
func colourTo(text string, most int) (list []token) {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return []token{{Text: text}}
	}
	text = escapes.ReplaceAllStringFunc(b.String(), readable)
	for n := 0; text != ""; {
		if n >= most {
			return append(list, token{Text: text})
		}
		piece := len(text)
		class := ""
		switch c := text[0]; {
		case c == '"':
			piece = quoted(text)
			if class = "s"; strings.HasPrefix(text[piece:], ":") {
				class = "k"
			}
		case strings.IndexByte("-0123456789tfn", c) >= 0:
			if end := strings.IndexAny(text, ",\n]} "); end > 0 {
				piece = end
			}
			class = "v"
		default:
			if end := strings.IndexAny(text, `"-0123456789tfn`); end > 0 {
				piece = end
			}
		}
		if class != "" {
			n++
		}
		list, text = append(list, token{class, text[:piece]}), text[piece:]
	}
	return list
}

// escapes are the escapes of texts in JSON, those of characters as many as follow each other: two of them may be one
// character.
var escapes = regexp.MustCompile(`(?:\\u[0-9a-fA-F]{4})+|\\.`)

// readable is the character that an escape stands for, if people can see it: many programs send "Z\u00fcrich".
func readable(escape string) string {
	var text string
	hidden := func(c rune) bool {
		return c == '"' || c == '\\' || c == utf8.RuneError || !unicode.IsPrint(c) && c != '\u200d'
	}
	if escape[1] != 'u' || json.Unmarshal([]byte(`"`+escape+`"`), &text) != nil || strings.ContainsFunc(text, hidden) {
		return escape
	}
	return text
}

// quoted is the length of the string at the beginning of JSON.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
