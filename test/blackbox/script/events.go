package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entrepot/test/blackbox/harness"
)

// skipEvents moves the mark to the end of the log, so that later events belong to the next request.
func (r *run) skipEvents() error {
	_, err := r.newEvents()
	return err
}

// newEvents reads the log from the mark on and moves the mark.
func (r *run) newEvents() ([]harness.Event, error) {
	events, err := r.fixture.Log(r.last)
	if err != nil {
		return nil, err
	}
	if len(events) > 0 {
		r.last = events[len(events)-1].ID
	}
	return events, nil
}

// events compares the kinds of the events the last request wrote: as a multiset, and those of the order also
// in their sequence, which interface §3.1 fixes. channel.sync_* come later from a job and count only when named.
func (r *run) events(line int, rest string) error {
	events, err := r.newEvents()
	if err != nil {
		return err
	}
	r.written = events
	want, optional, err := parseKinds(rest)
	if err != nil {
		return err
	}
	got := []string{}
	for _, event := range events {
		if !strings.HasPrefix(event.Kind, "channel.sync_") || slices.Contains(want, event.Kind) {
			got = append(got, event.Kind)
		}
	}
	lacking := slices.Clone(want)
	var surplus []string
	for _, kind := range got {
		if at := slices.Index(lacking, kind); at >= 0 {
			lacking = slices.Delete(lacking, at, at+1)
		} else if !slices.Contains(optional, kind) {
			surplus = append(surplus, kind)
		}
	}
	if len(lacking)+len(surplus) > 0 || !slices.Equal(ofOrder(want), ofOrder(got)) {
		r.fail(line, "events: want [%s], got [%s]", strings.Join(want, ", "), strings.Join(got, ", "))
	}
	return nil
}

// ofOrder keeps the kinds about an order, in their sequence.
func ofOrder(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return !strings.HasPrefix(kind, "order.") })
}

// parseKinds reads "a, b*2, c?": the kinds wanted, repeated as often as wanted, and those that may be there.
func parseKinds(text string) (want, optional []string, err error) {
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' }) {
		if kind, may := strings.CutSuffix(word, "?"); may {
			optional = append(optional, kind)
			continue
		}
		kind, times, counted := strings.Cut(word, "*")
		count := 1
		if counted {
			if count, err = strconv.Atoi(times); err != nil {
				return nil, nil, fmt.Errorf("%q: %w", word, err)
			}
		}
		if kind != "none" {
			want = append(want, slices.Repeat([]string{kind}, count)...)
		}
	}
	return want, optional, nil
}

// event looks for an event of a kind with certain data among those of the last "events:".
func (r *run) event(line int, rest string) error {
	kind, expected, _ := strings.Cut(rest, " ")
	faults, err := r.findEvent(kind, expected, r.written)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		r.fail(line, "event %s: %s", kind, strings.Join(faults, "\n      "))
	}
	return nil
}

// eventually waits for such an event anywhere in the log.
func (r *run) eventually(line int, rest string) error {
	kind, expected, _ := strings.Cut(rest, " ")
	err := harness.Eventually(minWithin, func() error {
		events, err := r.fixture.Log("")
		if err != nil {
			return err
		}
		faults, err := r.findEvent(kind, expected, events)
		if err != nil {
			return err
		}
		if len(faults) > 0 {
			return fmt.Errorf("%s", strings.Join(faults, "\n      "))
		}
		return nil
	})
	if err != nil {
		r.fail(line, "eventually %s: %v", kind, err)
	}
	return nil
}

// findEvent returns no errors if an event fits, else the errors of the best candidate.
func (r *run) findEvent(kind, expected string, events []harness.Event) ([]string, error) {
	if strings.TrimSpace(expected) == "" {
		expected = "{}"
	}
	want, err := harness.Decode([]byte(expected))
	if err != nil {
		return nil, fmt.Errorf("the expected data of %s is no JSON: %w", kind, err)
	}
	best := []string{"no such event"}
	for at, event := range slices.Backward(events) {
		if event.Kind != kind {
			continue
		}
		faults := harness.MatchValue(want, event.Data, r.vars)
		if len(faults) == 0 {
			return nil, nil
		}
		if best[0] == "no such event" || len(faults) < len(best) {
			best = append(faults, fmt.Sprintf("in event %d of %d", at+1, len(events)))
		}
	}
	return best, nil
}
