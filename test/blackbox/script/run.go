package script

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"entrepot/test/blackbox/harness"
)

// Fixture is what a script uses: credentials, the account's event log, a webhook receiver, the server.
type Fixture struct {
	Base     string
	Who      func(name string) (harness.Client, error) // key, owner, viewer, nobody, other, other-owner
	Log      func(after string) ([]harness.Event, error)
	Receiver *harness.Receiver
	Restart  func() error
	Command  func(args ...string) ([]byte, error)
	Check    func(harness.Answer) []string // what must be true of every answer; may be nil
	Vars     harness.Vars                  // names bound from the beginning
}

// Failure is one difference from what the script expects.
type Failure struct {
	Line int
	Case string
	Text string
}

// Run runs the script against the fixture and returns every failure. A case continues after a failed expectation, so
// that one run shows all; it ends when a name that it needs was never bound.
func Run(script *Script, fixture *Fixture) []Failure {
	r := &run{fixture: fixture, vars: harness.Vars{}, inboxes: map[string]*harness.Inbox{}}
	maps.Copy(r.vars, fixture.Vars)
	for _, c := range script.Cases {
		r.title, r.who = c.Title, "key"
		r.steps(c.Steps)
	}
	return r.failures
}

type run struct {
	fixture  *Fixture
	vars     harness.Vars
	inboxes  map[string]*harness.Inbox
	failures []Failure

	title   string
	row     string
	who     string          // the credential in use
	last    string          // id of the last event seen in the log
	written []harness.Event // what the last watched request wrote to the log
}

func (r *run) fail(line int, format string, args ...any) {
	title := r.title
	if r.row != "" {
		title += " / " + r.row
	}
	r.failures = append(r.failures, Failure{Line: line, Case: title, Text: fmt.Sprintf(format, args...)})
}

// steps runs steps in order and stops at one that cannot be run at all.
func (r *run) steps(steps []step) {
	for at, s := range steps {
		watched := at+1 < len(steps) && steps[at+1].kind == "events"
		if err := r.step(s, watched); err != nil {
			r.fail(s.line, "%v; the rest of the case is left out", err)
			return
		}
	}
}

func (r *run) step(s step, watched bool) error {
	switch s.kind {
	case "request":
		if watched {
			if err := r.skipEvents(); err != nil {
				return err
			}
		}
		return r.request(s)
	case "table":
		who := r.who
		for _, each := range s.rows {
			r.row, r.who = each.label, who
			r.steps(each.steps)
		}
		r.row = ""
		return nil
	}
	switch s.kind { // these expand what they are given themselves
	case "check":
		return r.compare(s.line, s.rest)
	case "ids":
		return r.ids(s.line, s.rest)
	}
	rest, err := r.expand(strings.TrimSpace(s.rest + "\n" + strings.Join(s.body, "\n")))
	if err != nil {
		return err
	}
	switch s.kind {
	case "as":
		r.who = rest
		return nil
	case "events":
		return r.events(s.line, rest)
	case "event":
		return r.event(s.line, rest)
	case "eventually":
		return r.eventually(s.line, rest)
	case "products":
		return r.products(rest)
	case "order":
		return r.order(rest)
	case "stock":
		return r.stock(s.line, rest)
	case "set":
		name, value, _ := strings.Cut(rest, " ")
		r.vars[strings.TrimPrefix(name, "$")] = value
		return nil
	case "inbox", "answer", "secret", "deliveries", "delivery", "sequence":
		return r.inbox(s.line, s.kind, rest)
	case "pause":
		duration, err := time.ParseDuration(rest)
		time.Sleep(duration)
		return err
	case "restart":
		return r.fixture.Restart()
	case "command":
		return r.command(s.line, rest)
	}
	return fmt.Errorf("no such step: %s", s.kind)
}

// client is the credential in force.
func (r *run) client() (harness.Client, error) {
	kind, value, given := strings.Cut(r.who, " ")
	if !given {
		return r.fixture.Who(kind)
	}
	client := harness.Client{Base: r.fixture.Base}
	switch kind {
	case "key":
		client.Key = value
	case "bearer":
		client.Bearer = value
	default:
		return client, fmt.Errorf("as %s: no such form", kind)
	}
	return client, nil
}

// request sends a request and compares its answer.
func (r *run) request(s step) error {
	client, err := r.client()
	if err != nil {
		return err
	}
	line, err := r.expand(s.rest)
	if err != nil {
		return err
	}
	method, path, _ := strings.Cut(line, " ")
	request := harness.Request{Method: method, Path: path, Header: http.Header{}}
	if text := strings.TrimRight(strings.Join(s.body, "\n"), "\n"); text != "" {
		if text, err = r.expand(text); err != nil {
			return err
		}
		request.Body = []byte(text)
	}
	for _, header := range s.headers {
		if header, err = r.expand(header); err != nil {
			return err
		}
		name, value, _ := strings.Cut(header, ":")
		value = strings.TrimSpace(value)
		if strings.HasPrefix(name, "@") {
			if name, value, err = r.sign(value, request.Body); err != nil {
				return err
			}
		}
		request.Header[http.CanonicalHeaderKey(name)] = []string{value}
	}
	return r.check(s, client, request)
}

// check sends until the answer fits or the time the script allows is over.
func (r *run) check(s step, client harness.Client, request harness.Request) error {
	modifiers := strings.Fields(s.expect.modifiers)
	var within time.Duration
	for at, word := range modifiers {
		if word == "within" && at+1 < len(modifiers) {
			parsed, err := time.ParseDuration(modifiers[at+1])
			if err != nil {
				return err
			}
			within = max(parsed, minWithin)
		}
	}
	var differences []string
	_ = harness.Eventually(within, func() error { // the differences say more than its error
		answer, err := client.Do(request)
		if err != nil {
			differences = []string{err.Error()}
			return err
		}
		if differences = r.differences(s.expect, modifiers, answer); len(differences) > 0 {
			differences = append(differences, inShort(answer))
			return errors.New("not as expected")
		}
		return nil
	})
	if len(differences) > 0 {
		r.fail(s.line, "%s", strings.Join(differences, "\n      "))
	}
	return nil
}

// inShort names the answer a difference was found in, with its body only as far as a line goes.
func inShort(answer harness.Answer) string {
	text := answer.String()
	if len(text) > 420 {
		text = text[:420] + "…"
	}
	return "in " + text
}

// differences lists how an answer differs from what the script expects of it.
func (r *run) differences(expect *expectation, modifiers []string, answer harness.Answer) []string {
	var found []string
	status, err := r.expand(expect.status)
	if err != nil {
		return []string{err.Error()}
	}
	if !slices.Contains(strings.Split(status, "|"), fmt.Sprint(answer.Status)) {
		found = append(found, fmt.Sprintf("want status %s, got %d", status, answer.Status))
	}
	for _, header := range expect.headers {
		if header, err = r.expand(header); err != nil {
			return []string{err.Error()}
		}
		name, want, _ := strings.Cut(header, ":")
		found = append(found, r.header(name, strings.TrimSpace(want), answer)...)
	}
	if len(expect.json) > 0 {
		text, err := r.expand(strings.Join(expect.json, "\n"))
		if err != nil {
			return []string{err.Error()}
		}
		found = append(found, harness.Match([]byte(text), answer.Body, r.vars)...)
	}
	for at, word := range modifiers {
		if at+1 >= len(modifiers) {
			break
		}
		name := strings.TrimPrefix(modifiers[at+1], "$")
		switch word {
		case "keep":
			r.vars[name] = string(answer.Body)
		case "bytes":
			if kept, bound := r.vars[name]; !bound || kept != string(answer.Body) {
				found = append(found, fmt.Sprintf("not the bytes kept as $%s: %s", name, harness.Short([]byte(kept))))
			}
		}
	}
	if r.fixture.Check != nil {
		found = append(found, r.fixture.Check(answer)...)
	}
	return found
}

// header compares one header; several values of one name are joined with commas.
func (r *run) header(name, want string, answer harness.Answer) []string {
	object := map[string]any{}
	if values := answer.Header.Values(name); len(values) > 0 {
		object[name] = strings.Join(values, ", ")
	}
	return harness.MatchValue(map[string]any{name: want}, object, r.vars)
}
