package api

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/apijson"
)

//go:generate go test -run ^TestInterfaceNamesTheMembers$ -update .

var update = flag.Bool("update", false, "write the members of records into docs/interface.md")

// unnamed are records that docs/interface.md explains in words: metadata of lists, errors, small answers, and the
// envelope, which is the same for every event.
var unnamed = regexp.MustCompile(`(Meta|Error|Event|Detail)$|^(FreeJSON|Decimal|SignedDecimal|EventActor|NotificationReceived|ChallengeAnswer|MoveClock|SandboxClock|OrderListItem|OrderListLine)$`)

// The blocks of docs/interface.md that begin with ```members name what each record has, as the API description does.
// "go generate ./internal/api" writes them again; a block for another record begins as "Name {}".
func TestInterfaceNamesTheMembers(t *testing.T) {
	const page = "../../docs/interface.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var components apijson.Components
	New(Config{}).describe(&components)
	m := members{schemas: components.Schemas(), blocks: map[string]bool{}, shown: map[string]bool{}}
	block, name := regexp.MustCompile("(?s)```members\n.*?```"), regexp.MustCompile(`(?m)^(\w+) \{`)
	for _, b := range block.FindAllString(string(text), -1) {
		for _, found := range name.FindAllStringSubmatch(b, -1) {
			if m.blocks[found[1]] || m.schemas[found[1]] == nil {
				t.Errorf("%s stands twice, or the API has no such record", found[1])
			}
			m.blocks[found[1]] = true
		}
	}
	if t.Failed() {
		return
	}
	var earlier []string
	written := block.ReplaceAllStringFunc(string(text), func(b string) string {
		out := "```members\n"
		for _, found := range name.FindAllStringSubmatch(b, -1) {
			m.shown[found[1]] = true
			out += wrap(found[1]+" "+m.named(found[1], earlier)) + "\n"
			earlier = append(earlier, found[1])
		}
		return out + "```"
	})
	if *update {
		if err := os.WriteFile(page, []byte(written), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if written != string(text) {
		t.Errorf("%s has members that the API does not have, or the other way round: run go generate ./internal/api", page)
	}
	for _, record := range slices.Sorted(maps.Keys(m.schemas)) {
		if !m.shown[record] && !unnamed.MatchString(record) {
			t.Errorf("%s has no block with the record %s", page, record)
		}
	}
}

// members writes records as docs/interface.md shows them.
type members struct {
	schemas       map[string]*apijson.Schema
	blocks, shown map[string]bool // records with a block of their own; records that stand somewhere
}

// named writes a named record. One that has all members of an earlier block is that record and what it adds; "Name?" says
// that all of them may be left out.
func (m members) named(name string, earlier []string) string {
	s := m.schemas[name]
	base, mark := "", ""
	for _, other := range earlier {
		o := m.schemas[other]
		if len(o.Names()) < 4 || base != "" && len(o.Names()) <= len(m.schemas[base].Names()) {
			continue
		}
		if m.has(s, o, func(required, its bool) bool { return required == its }) {
			base, mark = other, ""
		} else if len(s.Required) == 0 && m.has(s, o, func(bool, bool) bool { return true }) {
			base, mark = other, "?"
		}
	}
	switch {
	case base == "":
		return m.object(s, nil)
	case len(s.Names()) == len(m.schemas[base].Names()):
		return "{ all of " + base + mark + " }"
	}
	return "{ all of " + base + mark + ", " + strings.TrimPrefix(m.object(s, m.schemas[base].Names()), "{ ")
}

// has reports whether a record has all members of another, of the same types.
func (m members) has(s, other *apijson.Schema, agree func(required, its bool) bool) bool {
	for _, name := range other.Names() {
		its, required := slices.Contains(other.Required, name), slices.Contains(s.Required, name)
		if s.Properties[name] == nil || m.kind(s.Properties[name], true) != m.kind(other.Properties[name], true) || !agree(required, its) {
			return false
		}
	}
	return true
}

// object is "{ id: id, name, note? }": a member without a type is a string, one with "?" may be left out.
func (m members) object(s *apijson.Schema, without []string) string {
	var list []string
	for _, name := range s.Names() {
		if slices.Contains(without, name) {
			continue
		}
		entry, required := name, slices.Contains(s.Required, name)
		if !required {
			entry += "?"
		}
		switch kind := m.kind(s.Properties[name], required); {
		case strings.HasPrefix(kind, "string|"):
			entry += strings.TrimPrefix(kind, "string")
		case strings.HasPrefix(kind, "string ≤"):
			entry += strings.TrimPrefix(kind, "string")
		case kind != "string":
			entry += ": " + kind
		}
		list = append(list, entry)
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

// kind is the type of a value with its bounds. That an optional member takes null is not said: all of them do.
func (m members) kind(s *apijson.Schema, required bool) string {
	if s.Ref != "" {
		return m.record(strings.TrimPrefix(s.Ref, "#/components/schemas/"))
	}
	var kinds []string
	for _, one := range s.AnyOf {
		if one.Type != "null" {
			kinds = append(kinds, m.kind(one, false))
		} else if required {
			kinds = append(kinds, "null")
		}
	}
	types, _ := s.Type.([]string)
	if one, ok := s.Type.(string); ok {
		types = []string{one}
	}
	for _, one := range types {
		if one != "null" || required {
			kinds = append(kinds, m.plain(s, one))
		}
	}
	return strings.ReplaceAll(strings.Join(slices.Compact(kinds), "|"), "amount|string", "amount")
}

// record is a record inside another one: by its name if the page has a block for it, else its members.
func (m members) record(name string) string {
	switch {
	case name == "FreeJSON":
		return "JSON"
	case name == "Decimal" || name == "SignedDecimal":
		return "amount"
	case strings.HasSuffix(name, "Event") && unnamed.MatchString(name):
		return "event"
	case m.blocks[name]:
		return name
	}
	m.shown[name] = true
	return m.object(m.schemas[name], nil)
}

// writtenOut is how many words of an enumeration are written out; longer ones are the events and the scopes.
const writtenOut = 12

func (m members) plain(s *apijson.Schema, kind string) string {
	switch {
	case kind == "array" && s.Items == nil:
		return "[]"
	case kind == "array":
		return "[" + m.kind(s.Items, true) + "]" + upTo(s.MaxItems)
	case kind == "object" && s.Properties != nil:
		return m.object(s, nil)
	case kind == "string" && len(s.Enum) > writtenOut:
		return map[bool]string{true: "scope", false: "event"}[strings.HasPrefix(fmt.Sprint(s.Enum[0]), "read:")]
	case kind == "string" && s.Enum != nil:
		var words []string
		for _, word := range s.Enum {
			if word != nil {
				words = append(words, fmt.Sprint(word))
			}
		}
		return strings.Join(words, "/")
	case kind == "string" && s.Format == "uuid":
		return "id"
	case kind == "string" && (s.Format == "date-time" || strings.Contains(s.Description, "ISO 8601")):
		return "time"
	case kind == "string" && s.Format == "uri":
		return "URL" + upTo(s.MaxLength)
	case kind == "string" && s.MaxLength != 0 && s.MaxLength != 255:
		return "string" + upTo(s.MaxLength)
	case kind == "integer":
		return "int" + bounds(s.Minimum, s.Maximum)
	case kind == "boolean":
		return "bool"
	case kind == "number":
		return "amount"
	}
	return kind
}

func upTo(n int) string {
	if n == 0 {
		return ""
	}
	return " ≤ " + grouped(json.Number(fmt.Sprint(n)))
}

func bounds(least, most json.Number) string {
	switch {
	case least != "" && most != "":
		return " " + grouped(least) + "–" + grouped(most)
	case least != "":
		return " ≥ " + grouped(least)
	}
	return ""
}

// grouped is 1,000,000 for 1000000.
func grouped(n json.Number) string {
	text := string(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// wrap breaks a line between members, so that most lines have at most 112 characters.
func wrap(text string) string {
	var out strings.Builder
	column := 0
	for i, part := range strings.SplitAfter(text, ", ") {
		if n := len([]rune(strings.TrimSpace(part))); i > 0 && column+n > 112 {
			out.WriteString("\n  ")
			column = 2
		}
		out.WriteString(part)
		column += len([]rune(part))
	}
	return regexp.MustCompile(` +\n`).ReplaceAllString(out.String(), "\n")
}
