package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// call is one request.
type call struct {
	method, path string
	body         []byte // JSON; nil: none
	idempotency  string // Idempotency-Key; "": none
	items        int    // of the scenario's unit that it writes or reads
}

// traffic supplies the calls of one client, one after the other.
type traffic func() call

// givenUpAfter is the number of failures in a row after which a client stops: with a wrong key every request fails.
const givenUpAfter = 50

// tally is what clients counted.
type tally struct {
	waits    *hdrhistogram.Histogram // of successful requests, in microseconds
	requests int                     // answered with 2xx
	items    int
	failures map[string]int // by status, or "no answer"
	first    string         // the first failure, whole
}

func newTally() *tally {
	return &tally{waits: hdrhistogram.New(1, time.Hour.Microseconds(), 3), failures: map[string]int{}}
}

func (t *tally) add(other *tally) {
	t.waits.Merge(other.waits)
	t.requests += other.requests
	t.items += other.items
	for kind, n := range other.failures {
		t.failures[kind] += n
	}
	if t.first == "" {
		t.first = other.first
	}
}

// load has clients send their traffic for the run's duration, each its next request when the last one is answered, and
// returns the sum of what they counted and the time it took.
func (r *run) load(ctx context.Context, clients int, traffic func(client int) traffic) (*tally, time.Duration) {
	began := time.Now()
	end := began.Add(r.Duration)
	return together(clients, func(client int, t *tally) {
		next := traffic(client)
		for failed := 0; failed < givenUpAfter && time.Now().Before(end) && ctx.Err() == nil; failed++ {
			if r.count(ctx, r.key(client), next(), t) {
				failed = -1
			}
		}
	}), time.Since(began)
}

// together runs each client in a goroutine of its own and adds up what they counted.
func together(clients int, drive func(client int, t *tally)) *tally {
	tallies := make([]*tally, clients)
	var group sync.WaitGroup
	for client := range clients {
		tallies[client] = newTally()
		group.Go(func() { drive(client, tallies[client]) })
	}
	group.Wait()
	whole := newTally()
	for _, t := range tallies {
		whole.add(t)
	}
	return whole
}

// count sends a call and counts its outcome; it reports whether that was a 2xx.
func (r *run) count(ctx context.Context, key string, c call, t *tally) bool {
	began := time.Now()
	_, err := r.send(ctx, key, c)
	var refused *refusal
	switch {
	case err == nil:
		_ = t.waits.RecordValue(max(1, time.Since(began).Microseconds()))
		t.requests++
		t.items += c.items
		return true
	case ctx.Err() != nil: // ended by its caller
	case errors.As(err, &refused):
		t.failures[fmt.Sprint(refused.status)]++
	default:
		t.failures["no answer"]++
	}
	if t.first == "" && ctx.Err() == nil {
		t.first = err.Error()
	}
	return false
}

// refusal is an answer other than 2xx.
type refusal struct {
	status int
	body   string
}

func (e *refusal) Error() string {
	hint := map[int]string{
		401: " (is the key right?)", 403: " (has the key the scope?)",
		429: " (start the service with ENTREPOT_RATE_LIMITS=off to measure it)",
	}[e.status]
	return fmt.Sprintf("status %d%s %.400s", e.status, hint, e.body)
}

// send sends a call and returns the body of its 2xx answer. Errors: a refusal for another one.
func (r *run) send(ctx context.Context, key string, c call) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, c.method, r.URL+"/api/v1/"+c.path, bytes.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-API-Key", key)
	if c.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.idempotency != "" {
		request.Header.Set("Idempotency-Key", c.idempotency)
	}
	answer, err := r.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode/100 != 2 {
		err = &refusal{answer.StatusCode, string(body)}
	}
	return body, err
}

// ask sends a call to the first account and decodes its answer.
func (r *run) ask(ctx context.Context, c call, into any) error {
	body, err := r.send(ctx, r.Keys[0], c)
	if err == nil && into != nil {
		err = json.Unmarshal(body, into)
	}
	return err
}
