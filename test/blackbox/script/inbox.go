package script

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"entrepot/test/blackbox/harness"
)

// minWithin is how long a step waits at least for what is to come: on a starved machine a script's "within 5s" takes longer.
const minWithin = 2 * time.Minute

// inbox runs the steps about webhook endpoints of our own:
//
//	inbox $hook                             a new address; ${hook} is its URL
//	secret $hook whsec_…                    the signing secret the service gave for it
//	answer $hook 500 500 200                how it answers the next deliveries; the last stays in force
//	                                        (301:/elsewhere redirects, 200@3s waits before answering)
//	deliveries $hook order.received*2 …     waits until exactly these events came, retries counted once,
//	                                        and checks every delivery's form, headers and signatures
//	deliveries $hook within 5m …            the same, with a longer bound
//	deliveries $hook attempts 3             waits until so many deliveries came, retries included
//	sequence $hook a b b c                  the kinds of the deliveries that were answered 2xx, in order of arrival
//	delivery $hook 1 {json}                 one delivery in order of arrival: { headers, body, sameBodyAs: "1" }
func (r *run) inbox(line int, kind, rest string) error {
	name, rest, _ := strings.Cut(rest, " ")
	name = strings.TrimPrefix(name, "$")
	if kind == "inbox" {
		inbox := r.fixture.Receiver.Inbox()
		r.inboxes[name], r.vars[name] = inbox, inbox.URL
		return nil
	}
	inbox := r.inboxes[name]
	if inbox == nil {
		return fmt.Errorf("no inbox $%s", name)
	}
	switch kind {
	case "secret":
		inbox.Secret(strings.TrimSpace(rest))
	case "answer":
		replies, err := parseReplies(strings.Fields(rest))
		if err != nil {
			return err
		}
		inbox.Answer(replies...)
	case "delivery":
		return r.delivery(line, inbox, rest)
	case "sequence":
		r.sequence(line, inbox, strings.Fields(rest))
	case "deliveries":
		within := minWithin
		if words := strings.Fields(rest); len(words) > 1 && words[0] == "within" {
			duration, err := time.ParseDuration(words[1])
			if err != nil {
				return err
			}
			within, rest = duration, strings.Join(words[2:], " ")
		}
		if words := strings.Fields(rest); len(words) == 2 && words[0] == "attempts" {
			return r.attempts(line, inbox, words[1], within)
		}
		return r.arrivals(line, inbox, rest, within)
	}
	return nil
}

func parseReplies(words []string) ([]harness.Reply, error) {
	var replies []harness.Reply
	for _, word := range words {
		var reply harness.Reply
		word, delay, delayed := strings.Cut(word, "@")
		word, location, _ := strings.Cut(word, ":")
		status, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("answer: %q is no status", word)
		}
		reply.Status, reply.Location = status, location
		if delayed {
			if reply.Delay, err = time.ParseDuration(delay); err != nil {
				return nil, err
			}
		}
		replies = append(replies, reply)
	}
	return replies, nil
}

// sequence compares the kinds of the deliveries that were taken (answered 2xx), in order of arrival.
func (r *run) sequence(line int, inbox *harness.Inbox, want []string) {
	var got []string
	err := harness.Eventually(minWithin, func() error {
		got = nil
		for _, delivery := range inbox.Deliveries() {
			if delivery.Answered/100 == 2 {
				got = append(got, delivery.Kind())
			}
		}
		if len(got) < len(want) {
			return fmt.Errorf("waiting")
		}
		return nil
	})
	if err != nil || !slices.Equal(want, got) {
		r.fail(line, "sequence: want [%s], got [%s]", strings.Join(want, ", "), strings.Join(got, ", "))
	}
}

// arrivals waits until the inbox holds exactly the named events and checks every delivery.
func (r *run) arrivals(line int, inbox *harness.Inbox, rest string, within time.Duration) error {
	want, _, err := parseKinds(rest)
	if err != nil {
		return err
	}
	sort.Strings(want)
	var got []string
	err = harness.Eventually(within, func() error {
		got = slices.DeleteFunc(kindsOnce(inbox.Deliveries()), func(kind string) bool {
			return strings.HasPrefix(kind, "channel.sync_") && !slices.Contains(want, kind) // a job's, whenever it ends
		})
		if !slices.Equal(want, got) {
			return fmt.Errorf("waiting")
		}
		return nil
	})
	if err != nil {
		r.fail(line, "deliveries: want [%s], got [%s]", strings.Join(want, ", "), strings.Join(got, ", "))
	}
	for at, delivery := range inbox.Deliveries() {
		for _, fault := range inbox.Check(delivery) {
			r.fail(line, "delivery %d (%s): %s", at+1, delivery.Kind(), fault)
		}
	}
	return nil
}

// kindsOnce lists the kinds of the events delivered, each event counted once however often it came.
func kindsOnce(deliveries []harness.Delivery) []string {
	seen := map[string]bool{}
	kinds := []string{}
	for _, delivery := range deliveries {
		if id := delivery.EventID(); !seen[id] {
			seen[id] = true
			kinds = append(kinds, delivery.Kind())
		}
	}
	sort.Strings(kinds)
	return kinds
}

func (r *run) attempts(line int, inbox *harness.Inbox, number string, within time.Duration) error {
	want, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	got := 0
	err = harness.Eventually(within, func() error {
		if got = len(inbox.Deliveries()); got < want {
			return fmt.Errorf("waiting")
		}
		return nil
	})
	if err != nil || got != want {
		r.fail(line, "want %d deliveries, got %d", want, got)
	}
	return nil
}

// delivery compares one delivery with { "headers": {…}, "body": {…}, "sameBodyAs": "1" }.
func (r *run) delivery(line int, inbox *harness.Inbox, rest string) error {
	number, expected, _ := strings.Cut(rest, " ")
	at, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	want, err := harness.Decode([]byte(expected))
	if err != nil {
		return err
	}
	deliveries := inbox.Deliveries()
	if at < 1 || at > len(deliveries) {
		r.fail(line, "there is no delivery %d among %d", at, len(deliveries))
		return nil
	}
	delivery := deliveries[at-1]
	headers := map[string]any{}
	wanted, _ := harness.At(want, "headers").(map[string]any)
	for name := range wanted {
		if values, ok := delivery.Header[http.CanonicalHeaderKey(name)]; ok {
			headers[name] = strings.Join(values, ", ")
		}
	}
	got := map[string]any{"headers": headers, "body": delivery.Value()}
	for earlier := range at {
		if string(deliveries[earlier].Body) == string(delivery.Body) {
			got["sameBodyAs"] = fmt.Sprint(earlier + 1)
			break
		}
	}
	if faults := harness.MatchValue(want, got, r.vars); len(faults) > 0 {
		r.fail(line, "delivery %d: %s", at, strings.Join(faults, "\n      "))
	}
	return nil
}
