package harness

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// placeholder is a parsed "<kind argument> $name".
type placeholder struct{ kind, argument, bind string }

var placeholderForm = regexp.MustCompile(`(?s)^<([a-z]+)(?: (.*))?>(?: \$(\w+))?$`)

func parsePlaceholder(text string) (placeholder, bool) {
	parts := placeholderForm.FindStringSubmatch(text)
	if parts == nil {
		return placeholder{}, false
	}
	return placeholder{kind: parts[1], argument: parts[2], bind: parts[3]}, true
}

var (
	uuidForm    = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	millisForm  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	microsForm  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)
	decimalForm = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
)

// kinds are the placeholders that check one value. They return "" or what they expected.
//
//	<any> <null> <string> <text> (not empty) <int> <number> <bool> <object> <array>
//	<uuid> <time> (milliseconds) <micros> <decimal> (a string of digits)
//	<re PATTERN> <contains TEXT> <oneof A,B> <atleast N> <atmost N> <len N> <not TEXT>
//	<absent> the key is not there; <maybe KIND> null, absent or a KIND
var kinds = map[string]func(argument string, got any) string{
	"any":    func(string, any) string { return "" },
	"null":   func(_ string, got any) string { return wanted(got == nil, "null") },
	"string": func(_ string, got any) string { return wanted(isString(got), "a string") },
	"text": func(_ string, got any) string {
		return wanted(isString(got) && got != "", "a string that is not empty")
	},
	"bool":   func(_ string, got any) string { _, ok := got.(bool); return wanted(ok, "true or false") },
	"number": func(_ string, got any) string { _, ok := got.(json.Number); return wanted(ok, "a number") },
	"object": func(_ string, got any) string { _, ok := got.(map[string]any); return wanted(ok, "an object") },
	"array":  func(_ string, got any) string { _, ok := got.([]any); return wanted(ok, "an array") },
	"int": func(_ string, got any) string {
		number, ok := numberOf(got)
		return wanted(ok && number.IsInt(), "a whole number")
	},
	"uuid":    form(uuidForm, "a UUID in lower case"),
	"time":    form(millisForm, "a time like 2026-01-02T03:04:05.678Z"),
	"micros":  form(microsForm, "a time with microseconds"),
	"decimal": form(decimalForm, "a decimal in a string"),
	"re": func(argument string, got any) string {
		pattern, err := regexp.Compile(argument)
		if err != nil {
			return err.Error()
		}
		text, ok := got.(string)
		return wanted(ok && pattern.MatchString(text), "a string like "+argument)
	},
	"contains": func(argument string, got any) string {
		text, ok := got.(string)
		return wanted(ok && strings.Contains(text, argument), "a string with "+strconv.Quote(argument)+" in it")
	},
	"oneof": func(argument string, got any) string {
		for _, choice := range strings.Split(argument, ",") {
			if got == any(choice) {
				return ""
			}
		}
		return "one of " + argument
	},
	"not": func(argument string, got any) string {
		return wanted(plain(got) != argument, "anything but "+strconv.Quote(argument))
	},
	"atleast": bound("at least", func(sign int) bool { return sign >= 0 }),
	"atmost":  bound("at most", func(sign int) bool { return sign <= 0 }),
	"len": func(argument string, got any) string {
		size := -1
		switch got := got.(type) {
		case []any:
			size = len(got)
		case string:
			size = len(got)
		}
		return wanted(strconv.Itoa(size) == argument, "length "+argument+" (not "+strconv.Itoa(size)+")")
	},
}

func (m *matcher) placeholder(path string, p placeholder, got any, present bool) {
	switch {
	case p.kind == "absent":
		if present {
			m.fault(path, "is there and should not be: %s", show(got))
		}
		return
	case p.kind == "maybe":
		if !present || got == nil {
			return
		}
		kind, argument, _ := strings.Cut(p.argument, " ")
		p.kind, p.argument = kind, argument
	case !present:
		m.fault(path, "missing, want <%s>", strings.TrimSpace(p.kind+" "+p.argument))
		return
	}
	check, known := kinds[p.kind]
	if !known {
		m.fault(path, "the expectation's placeholder <%s> is unknown", p.kind)
		return
	}
	if complaint := check(p.argument, got); complaint != "" {
		m.fault(path, "want %s, got %s", complaint, show(got))
		return
	}
	if p.bind != "" {
		m.vars[p.bind] = plain(got)
	}
}

// plain is a value as text: a string without its quotes, anything else as JSON.
func plain(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func wanted(ok bool, what string) string {
	if ok {
		return ""
	}
	return what
}

func isString(value any) bool {
	_, ok := value.(string)
	return ok
}

func form(pattern *regexp.Regexp, what string) func(string, any) string {
	return func(_ string, got any) string {
		text, ok := got.(string)
		return wanted(ok && pattern.MatchString(text), what)
	}
}

// bound compares a number, or a decimal or time in a string, with the argument.
func bound(words string, holds func(sign int) bool) func(string, any) string {
	return func(argument string, got any) string {
		if number, ok := numberOf(got); ok {
			limit, valid := new(big.Rat).SetString(argument)
			return wanted(valid && holds(number.Cmp(limit)), words+" "+argument)
		}
		text, ok := got.(string)
		return wanted(ok && holds(strings.Compare(text, argument)), words+" "+argument)
	}
}

func numberOf(value any) (*big.Rat, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return nil, false
	}
	return exact(number)
}
