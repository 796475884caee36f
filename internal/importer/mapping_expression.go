package importer

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// listMark separates the elements of a JSON list inside one cell; no text file holds it.
const listMark = '\x1f'

// expression computes a field from a row's cells:
//
//	name                      a column
//	[Option1 + Value]         a column whose name holds one of = + | ~ "
//	"text"                    a constant
//	number+"-"+variant        columns and constants joined; blank when all its columns are blank
//	US price|UK price|"0"     the first alternative that is not blank
//	image~/(\d+)_/            the part of a column that matches, or its first group
//
// People type it on a command line beside a spreadsheet. In a library such as expr-lang a column is $env["US price"], and blank
// cells need a function at each step.
type expression struct {
	text         string
	alternatives [][]term
	decimals     []byte // of an amount: the sign that begins the decimals, by alternative
}

type term struct {
	column  int // -1 for a constant
	text    []byte
	pattern *regexp.Regexp
}

// columnsOf finds a column's number by its name; the name "" never exists.
type columnsOf func(name string) (int, bool)

// parseExpression reads an expression and returns what stands behind its '=' (the field).
func parseExpression(text string, columns columnsOf) (e expression, field string, err error) {
	rest := text
	for {
		var join []term
		var sign byte
		for {
			var t term
			if t, rest, err = parseTerm(rest, columns); err != nil {
				return e, "", err
			}
			join = append(join, t)
			if rest = strings.TrimLeft(rest, " \t"); rest == "" {
				return e, "", fmt.Errorf("it has no =field at its end")
			}
			sign, rest = rest[0], rest[1:]
			if sign != '+' {
				break
			}
		}
		e.alternatives = append(e.alternatives, join)
		if sign == '=' {
			e.text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(text, rest), "="))
			return e, strings.TrimSpace(rest), nil
		}
		if sign != '|' {
			return e, "", fmt.Errorf("%q does not belong there; + joins, | gives an alternative, = names the field", string(sign))
		}
	}
}

func parseTerm(text string, columns columnsOf) (t term, rest string, err error) {
	text = strings.TrimLeft(text, " \t")
	var name string
	switch {
	case strings.HasPrefix(text, `"`):
		end := strings.IndexByte(text[1:], '"')
		if end < 0 {
			return t, "", fmt.Errorf(`a " is not closed`)
		}
		return term{column: -1, text: []byte(text[1 : 1+end])}, text[end+2:], nil
	case strings.HasPrefix(text, "["):
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return t, "", fmt.Errorf("a [ is not closed")
		}
		name, rest = text[1:end], text[end+1:]
	default:
		end := strings.IndexAny(text, "=+|~\"")
		if end < 0 {
			end = len(text)
		}
		name, rest = text[:end], text[end:]
	}
	name = strings.TrimSpace(name)
	column, found := columns(name)
	if !found {
		return t, "", unknownColumn(name)
	}
	t.column = column
	rest = strings.TrimLeft(rest, " \t")
	if !strings.HasPrefix(rest, "~") {
		return t, rest, nil
	}
	rest = rest[1:]
	if !strings.HasPrefix(rest, "/") {
		return t, "", fmt.Errorf("~ wants a /pattern/ after it")
	}
	end := strings.Index(rest[1:], "/")
	for end >= 0 && rest[end] == '\\' { // \/ is a slash of the pattern
		more := strings.Index(rest[end+2:], "/")
		if more < 0 {
			end = -1
			break
		}
		end += 1 + more
	}
	if end < 0 {
		return t, "", fmt.Errorf("the /pattern is not closed")
	}
	pattern := strings.ReplaceAll(rest[1:1+end], `\/`, "/")
	if t.pattern, err = regexp.Compile(pattern); err != nil {
		return t, "", err
	}
	return t, rest[end+2:], nil
}

type unknownColumn string

func (name unknownColumn) Error() string {
	return fmt.Sprintf("the file has no column %q", string(name))
}

// constant is an expression that is the same in every row.
func constant(value string) expression {
	return expression{text: `"` + value + `"`, alternatives: [][]term{{{column: -1, text: []byte(value)}}}}
}

// readsColumn is true unless the expression is a constant.
func (e *expression) readsColumn() bool {
	return slices.ContainsFunc(e.alternatives, func(join []term) bool {
		return slices.ContainsFunc(join, func(t term) bool { return t.column >= 0 })
	})
}

// value computes the expression, trimmed. The result is a part of a cell or of scratch, which grows.
func (e *expression) value(cells [][]byte, scratch *[]byte) []byte {
	value, _ := e.pick(cells, scratch)
	return value
}

// amount computes an expression that is read as a number, and reports the sign that begins its decimals.
func (e *expression) amount(cells [][]byte, scratch *[]byte) (value []byte, decimal byte) {
	value, from := e.pick(cells, scratch)
	if from < len(e.decimals) {
		return value, e.decimals[from]
	}
	return value, '.'
}

// pick computes the expression and reports which of its alternatives the value is from.
func (e *expression) pick(cells [][]byte, scratch *[]byte) (value []byte, alternative int) {
	for i, join := range e.alternatives {
		if len(join) == 1 {
			if v := join[0].value(cells); len(v) > 0 {
				return v, i
			}
			continue
		}
		from, found, columns := len(*scratch), false, false
		for i := range join {
			v := join[i].value(cells)
			columns = columns || join[i].column >= 0
			found = found || join[i].column >= 0 && len(v) > 0
			*scratch = append(*scratch, v...)
		}
		if found || !columns {
			return bytes.TrimSpace((*scratch)[from:]), i
		}
		*scratch = (*scratch)[:from]
	}
	return nil, 0
}

// columnNames are the names of the columns that an alternative reads; a constant reads none.
func (e *expression) columnNames(alternative int, header []string) string {
	var names []string
	for _, t := range e.alternatives[alternative] {
		if t.column >= 0 && t.column < len(header) {
			names = append(names, header[t.column])
		}
	}
	return strings.Join(names, "+")
}

func (t *term) value(cells [][]byte) []byte {
	if t.column < 0 {
		return t.text
	}
	if t.column >= len(cells) {
		return nil
	}
	cell := bytes.TrimSpace(cells[t.column])
	if t.pattern == nil || len(cell) == 0 {
		return cell
	}
	m := t.pattern.FindSubmatch(cell)
	switch {
	case m == nil:
		return nil
	case len(m) > 1:
		return m[1]
	}
	return m[0]
}
