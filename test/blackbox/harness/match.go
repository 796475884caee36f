package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// Vars are the names an expectation binds ("<uuid> $order") and the texts they are bound to.
type Vars map[string]string

// Decode reads exactly one JSON value, numbers kept as written.
func Decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return value, nil
}

// Match compares an answer with an expectation, both JSON texts, and returns every difference with its path.
//
// Objects match as subsets: keys the expectation leaves out may be there. "<only>": true forbids them.
// Arrays match whole, element by element, unless the first expected element is a marker:
//
//	"<contains>"   each that follows is matched by some element
//	"<unordered>"  those that follow and the elements pair off in some order
//	"<prefix>"     those that follow are the first elements
//	"<each>"       every element matches the one that follows
//	"<without>"    no element matches any that follow
//
// Numbers compare as exact decimals (49.9 is 49.90, never "49.90"). A string "<kind argument>" is a
// placeholder, see placeholder.go; a "$name" behind it binds what was found.
func Match(expected, answer []byte, vars Vars) []string {
	want, err := Decode(expected)
	if err != nil {
		return []string{fmt.Sprintf("the expectation is no JSON: %v: %s", err, Short(expected))}
	}
	got, err := Decode(answer)
	if err != nil {
		return []string{fmt.Sprintf("the answer is no JSON: %v: %s", err, Short(answer))}
	}
	return MatchValue(want, got, vars)
}

// MatchValue is Match for decoded values.
func MatchValue(want, got any, vars Vars) []string {
	m := matcher{vars: vars}
	m.value("", want, got)
	return m.faults
}

type matcher struct {
	vars   Vars
	faults []string
}

func (m *matcher) fault(path, format string, args ...any) {
	if path == "" {
		path = "(whole)"
	}
	m.faults = append(m.faults, path+": "+fmt.Sprintf(format, args...))
}

func (m *matcher) value(path string, want, got any) {
	switch want := want.(type) {
	case string:
		if p, ok := parsePlaceholder(want); ok {
			m.placeholder(path, p, got, true)
		} else if got != any(want) {
			m.fault(path, "want %q, got %s", want, show(got))
		}
	case json.Number:
		number, ok := got.(json.Number)
		if !ok || !sameNumber(want, number) {
			m.fault(path, "want number %s, got %s", want, show(got))
		}
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			m.fault(path, "want an object, got %s", show(got))
			return
		}
		m.object(path, want, object)
	case []any:
		list, ok := got.([]any)
		if !ok {
			m.fault(path, "want an array, got %s", show(got))
			return
		}
		m.list(path, want, list)
	default: // true, false, null
		if got != want {
			m.fault(path, "want %s, got %s", show(want), show(got))
		}
	}
}

func (m *matcher) object(path string, want, got map[string]any) {
	keys := slices.Sorted(maps.Keys(want))
	for _, key := range keys {
		if key == "<only>" {
			for _, present := range slices.Sorted(maps.Keys(got)) {
				if _, expected := want[present]; !expected {
					m.fault(join(path, present), "is there and should not be: %s", show(got[present]))
				}
			}
			continue
		}
		found, present := got[key]
		if text, ok := want[key].(string); ok {
			if p, ok := parsePlaceholder(text); ok {
				m.placeholder(join(path, key), p, found, present)
				continue
			}
		}
		if !present {
			m.fault(join(path, key), "missing, want %s", show(want[key]))
			continue
		}
		m.value(join(path, key), want[key], found)
	}
}

func (m *matcher) list(path string, want, got []any) {
	marker := ""
	if len(want) > 0 {
		marker, _ = want[0].(string)
	}
	switch marker {
	case "<contains>":
		for _, element := range want[1:] {
			if m.find(element, got, nil) < 0 {
				m.fault(path, "no element matches %s among %s", show(element), show(got))
			}
		}
	case "<without>":
		for _, element := range want[1:] {
			if at := m.find(element, got, nil); at >= 0 {
				m.fault(path, "element %d matches %s and should not be there", at, show(element))
			}
		}
	case "<unordered>":
		if len(got) != len(want)-1 {
			m.fault(path, "want %d elements, got %d: %s", len(want)-1, len(got), show(got))
			return
		}
		taken := map[int]bool{}
		for _, element := range want[1:] {
			at := m.find(element, got, taken)
			if at < 0 {
				m.fault(path, "no (further) element matches %s among %s", show(element), show(got))
				continue
			}
			taken[at] = true
		}
	case "<each>":
		for at, element := range got {
			m.value(fmt.Sprintf("%s[%d]", path, at), want[1], element)
		}
	case "<prefix>":
		if len(got) < len(want)-1 {
			m.fault(path, "want at least %d elements, got %d", len(want)-1, len(got))
			return
		}
		m.elements(path, want[1:], got)
	default:
		if len(got) != len(want) {
			m.fault(path, "want %d elements, got %d: %s", len(want), len(got), show(got))
			return
		}
		m.elements(path, want, got)
	}
}

func (m *matcher) elements(path string, want, got []any) {
	for at := range want {
		m.value(fmt.Sprintf("%s[%d]", path, at), want[at], got[at])
	}
}

// find returns the position of an element that matches and is not taken, keeping what it binds.
func (m *matcher) find(want any, got []any, taken map[int]bool) int {
	for at, element := range got {
		if taken[at] {
			continue
		}
		trial := matcher{vars: maps.Clone(m.vars)}
		trial.value("", want, element)
		if len(trial.faults) == 0 {
			maps.Copy(m.vars, trial.vars)
			return at
		}
	}
	return -1
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func sameNumber(a, b json.Number) bool {
	x, ok := exact(a)
	y, also := exact(b)
	return ok && also && x.Cmp(y) == 0
}

// exact parses a JSON number without rounding; numbers of absurd size are refused and not computed.
func exact(n json.Number) (*big.Rat, bool) {
	if len(n) > 400 {
		return nil, false
	}
	if at := strings.IndexAny(string(n), "eE"); at >= 0 && len(n)-at > 5 {
		return nil, false
	}
	return new(big.Rat).SetString(string(n))
}

// show prints a value for a message, cut short.
func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if len(text) > 400 {
		return string(text[:400]) + "…"
	}
	return string(text)
}
