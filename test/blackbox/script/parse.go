package script

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Script is a parsed file.
type Script struct {
	Name    string            // file name without ".txt"
	Options map[string]string // "server" → "own"; an option without a value maps to ""
	Cases   []Case
}

// Case is a titled group of steps and the clauses it proves. It counts as one, or as one per table row.
type Case struct {
	Line    int
	Title   string
	Clauses []string
	Steps   []step
}

// Count is the number of cases for the statistics: one, and one more for each further row of its tables.
func (c Case) Count() int {
	rows := 0
	for _, s := range c.Steps {
		rows += len(s.rows)
	}
	return max(1, rows)
}

// step is one thing to do. Which fields matter depends on the kind.
type step struct {
	line    int
	kind    string // "request", "table", or the step's first word
	rest    string // what stands behind the first word
	headers []string
	body    []string
	expect  *expectation
	rows    []row
}

// expectation is what stands behind "=>".
type expectation struct {
	line      int
	status    string
	modifiers string
	headers   []string
	json      []string
}

// row is one line of a table with the steps it runs.
type row struct {
	line  int
	label string
	steps []step
}

var (
	requestForm = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|BREW) (\S.*)$`)
	headerForm  = regexp.MustCompile(`^@?[A-Za-z][A-Za-z0-9-]*: ?.*$`)
	caseForm    = regexp.MustCompile(`^== \[([^\]]+)\] (.+)$`)
)

// words are the steps that begin with a word of their own.
var words = map[string]bool{
	"as": true, "events:": true, "event": true, "eventually": true, "products": true, "order": true, "stock": true,
	"set": true, "check": true, "ids": true, "inbox": true, "answer": true, "deliveries": true, "delivery": true, "sequence": true,
	"secret":  true,
	"restart": true, "table": true, "pause": true, "command": true,
}

// Load parses every script in a folder, by name.
func Load(dir string) ([]*Script, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var scripts []*Script
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		script, err := Parse(strings.TrimSuffix(filepath.Base(path), ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, script)
	}
	return scripts, nil
}

// Parse reads a script's text; its errors name the file and the line.
func Parse(name, text string) (*Script, error) {
	script := &Script{Name: name, Options: map[string]string{}}
	var lines []sourceLine
	for at, content := range strings.Split(text, "\n") {
		content = strings.TrimRight(content, " \t\r")
		if strings.HasPrefix(content, "#") {
			continue
		}
		lines = append(lines, sourceLine{at + 1, content})
	}
	for len(lines) > 0 {
		line := lines[0]
		switch {
		case line.text == "":
			lines = lines[1:]
		case strings.HasPrefix(line.text, "=="):
			parts := caseForm.FindStringSubmatch(line.text)
			if parts == nil {
				return nil, fmt.Errorf("%s:%d: a case is written == [clause] title", name, line.number)
			}
			end := 1
			for end < len(lines) && !strings.HasPrefix(lines[end].text, "==") {
				end++
			}
			p := parser{name: name, lines: lines[1:end]}
			steps, err := p.steps()
			if err != nil {
				return nil, err
			}
			script.Cases = append(script.Cases, Case{
				Line: line.number, Title: parts[2], Clauses: strings.Fields(parts[1]), Steps: steps,
			})
			lines = lines[end:]
		case len(script.Cases) == 0:
			option, value, _ := strings.Cut(line.text, " ")
			script.Options[option] = strings.TrimSpace(value)
			lines = lines[1:]
		default:
			return nil, fmt.Errorf("%s:%d: cannot read %q", name, line.number, line.text)
		}
	}
	return script, nil
}

type sourceLine struct {
	number int
	text   string
}

type parser struct {
	name  string
	lines []sourceLine
}

func (p *parser) peek() (sourceLine, bool) {
	if len(p.lines) == 0 {
		return sourceLine{}, false
	}
	return p.lines[0], true
}

func (p *parser) next() sourceLine {
	line := p.lines[0]
	p.lines = p.lines[1:]
	return line
}

func (p *parser) steps() ([]step, error) {
	var steps []step
	for len(p.lines) > 0 {
		line := p.next()
		if line.text == "" {
			continue
		}
		word, rest, _ := strings.Cut(line.text, " ")
		var (
			s   step
			err error
		)
		switch {
		case requestForm.MatchString(line.text):
			s, err = p.request(line)
		case word == "table":
			s, err = p.table(line)
		case words[word]:
			s = step{line: line.number, kind: strings.TrimSuffix(word, ":"), rest: rest, body: p.block()}
		default:
			err = fmt.Errorf("%s:%d: cannot read %q", p.name, line.number, line.text)
		}
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// request reads a request up to and with its expectation.
func (p *parser) request(line sourceLine) (step, error) {
	s := step{line: line.number, kind: "request", rest: line.text}
	for {
		next, ok := p.peek()
		if !ok || !headerForm.MatchString(next.text) {
			break
		}
		s.headers = append(s.headers, p.next().text)
	}
	for {
		next, ok := p.peek()
		if !ok {
			return s, fmt.Errorf("%s:%d: the request has no \"=>\"", p.name, line.number)
		}
		p.next()
		if strings.HasPrefix(next.text, "=>") {
			status, modifiers, _ := strings.Cut(strings.TrimSpace(next.text[2:]), " ")
			s.expect = &expectation{line: next.number, status: status, modifiers: modifiers}
			break
		}
		s.body = append(s.body, next.text)
	}
	for {
		next, ok := p.peek()
		if !ok || !headerForm.MatchString(next.text) || words[firstWord(next.text)] {
			break
		}
		s.expect.headers = append(s.expect.headers, p.next().text)
	}
	s.expect.json = p.block()
	return s, nil
}

// block reads lines that belong to the step before: JSON, or lines set in.
func (p *parser) block() []string {
	var lines []string
	for {
		next, ok := p.peek()
		if !ok || next.text == "" || !strings.ContainsRune("{}[]\" \t", rune(next.text[0])) {
			return lines
		}
		lines = append(lines, p.next().text)
	}
}

// table reads "table a | b", its rows, "do", the steps and "end", and writes the steps out for each row.
func (p *parser) table(line sourceLine) (step, error) {
	s := step{line: line.number, kind: "table"}
	_, names, _ := strings.Cut(line.text, " ")
	columns := cells(names)
	var rows []sourceLine
	for {
		next, ok := p.peek()
		if !ok {
			return s, fmt.Errorf("%s:%d: the table has no \"do\"", p.name, line.number)
		}
		p.next()
		if next.text == "do" {
			break
		}
		if next.text != "" {
			rows = append(rows, next)
		}
	}
	var template []sourceLine
	for {
		next, ok := p.peek()
		if !ok {
			return s, fmt.Errorf("%s:%d: the table has no \"end\"", p.name, line.number)
		}
		p.next()
		if next.text == "end" {
			break
		}
		template = append(template, next)
	}
	for _, source := range rows {
		values := cells(source.text)
		if len(values) != len(columns) {
			return s, fmt.Errorf("%s:%d: %d cells under %d columns", p.name, source.number, len(values), len(columns))
		}
		written := make([]sourceLine, len(template))
		for at, line := range template {
			for column, name := range columns {
				line.text = strings.ReplaceAll(line.text, "${"+name+"}", values[column])
			}
			written[at] = line
		}
		inner := parser{name: p.name, lines: written}
		steps, err := inner.steps()
		if err != nil {
			return s, err
		}
		s.rows = append(s.rows, row{line: source.number, label: strings.TrimSpace(source.text), steps: steps})
	}
	return s, nil
}

// cells splits a table line at bars with space around them; "400|404" is one cell.
func cells(line string) []string {
	parts := strings.Split(line+" ", " | ")
	for at := range parts {
		parts[at] = strings.TrimSpace(parts[at])
	}
	return parts
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
