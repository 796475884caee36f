package texts

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The messages of rules are made below the pages, for the API as well, and come here as finished English sentences:
// "must be at most 64 characters", "Name must be at most 64 characters", "Must be at most 64 characters". The file
// <language>.rules.json has their formats as the code has them, and a message is known by its format.

// rule is a message's format with its translation. A predicate may have what it is about before it.
type rule struct {
	pattern     *regexp.Regexp
	translation string
}

// verb is a place of a format that gets an argument.
var verb = regexp.MustCompile(`%(?:\[\d\])?(?:\.\d)?[a-z]`)

// predicates are the words that a message begins with which needs a subject.
var predicates = []string{"must", "may", "is", "has", "cannot", "begins", "changed"}

// rules compiles the formats of a language, those with the most words first, so that "%s is %s" is the last resort.
func rules(texts map[string]string) func() []rule {
	return sync.OnceValue(func() []rule {
		formats := make([]string, 0, len(texts))
		for format := range texts {
			formats = append(formats, format)
		}
		slices.SortFunc(formats, func(a, b string) int {
			return cmp.Or(cmp.Compare(len(verb.ReplaceAllString(b, "")), len(verb.ReplaceAllString(a, ""))), cmp.Compare(a, b))
		})
		list := make([]rule, len(formats))
		for i, format := range formats {
			first, _, _ := strings.Cut(format, " ")
			parts := verb.Split(format, -1)
			for j := range parts {
				parts[j] = regexp.QuoteMeta(strings.ReplaceAll(parts[j], "%%", "%"))
			}
			begin := `^()`
			if slices.Contains(predicates, first) {
				begin = `^(?:([^;]+?):? )?`
			}
			list[i] = rule{regexp.MustCompile(`(?s)` + begin + firstLetter(strings.Join(parts, `(.*?)`)) + `(\.?)$`), texts[format]}
		}
		return list
	})
}

// firstLetter lets the first letter of a pattern be a capital.
func firstLetter(pattern string) string {
	if c, size := utf8.DecodeRuneInString(pattern); unicode.IsLower(c) {
		return "[" + string(c) + string(unicode.ToUpper(c)) + "]" + pattern[size:]
	}
	return pattern
}

// Rule is the message of a rule in the language, or the message itself if its format is not known. Several messages
// are joined by semicolons.
func (l *Language) Rule(message string) string {
	if l.texts == nil || message == "" {
		return message
	}
	if l.texts[message] != "" {
		return l.texts[message]
	}
	for _, r := range l.rules() {
		found := r.pattern.FindStringSubmatch(message)
		if found == nil {
			continue
		}
		last := len(found) - 1
		args := make([]any, 0, last)
		for _, arg := range found[2:last] {
			if strings.Contains(arg, " ") && arg != message {
				arg = l.Rule(arg)
			}
			args = append(args, cmp.Or(l.texts[arg], l.nouns[arg], arg))
		}
		out := fmt.Sprintf(r.translation, args...)
		if subject := found[1]; subject != "" && !strings.EqualFold(subject, "this") {
			return l.Say(subject) + " " + out + found[last]
		}
		if c, _ := utf8.DecodeRuneInString(message); unicode.IsUpper(c) {
			first, size := utf8.DecodeRuneInString(out)
			out = string(unicode.ToUpper(first)) + out[size:]
		}
		return out + found[last]
	}
	parts := strings.Split(message, "; ")
	if len(parts) == 1 {
		return message
	}
	for i, part := range parts {
		parts[i] = l.Rule(part)
	}
	return strings.Join(parts, "; ")
}
