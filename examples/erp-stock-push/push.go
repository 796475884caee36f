package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	maxItems = 5000 // per request (interface §8)
	maxTries = 6    // per request, the first included
)

// outcome is the answer to a bulk update: what was applied, and why the rest was not.
type outcome struct {
	Updated  int         `json:"updated"`
	NotFound int         `json:"notFound"`
	Errors   []itemError `json:"errors"`
}

type itemError struct {
	SKU   string `json:"sku"`
	Error string `json:"error"`
	Index int    `json:"index"` // within the request, from 0
}

// pusher sends levels in requests of at most maxItems, each with its own idempotency key, so that a request whose
// answer was lost can be sent again safely.
type pusher struct {
	base, key string
	run       string // begins every idempotency key of this run
	http      *http.Client
	pause     func(context.Context, time.Duration) error
}

// push sends all levels and adds up the answers; the indexes of errors count over all levels.
// On an error the outcome holds what was pushed before it.
func (p pusher) push(ctx context.Context, levels []level) (total outcome, err error) {
	sent := 0
	for part := range slices.Chunk(levels, maxItems) {
		got, err := p.send(ctx, part, p.run+"-"+strconv.Itoa(sent))
		if err != nil {
			return total, fmt.Errorf("lines %d to %d: %w", sent+1, sent+len(part), err)
		}
		total.Updated += got.Updated
		total.NotFound += got.NotFound
		for _, e := range got.Errors {
			e.Index += sent
			total.Errors = append(total.Errors, e)
		}
		sent += len(part)
	}
	return total, nil
}

// send repeats one request until the answer is final: after a network error, a 429 or a 5xx it tries again with the
// same key, every other answer is final.
func (p pusher) send(ctx context.Context, part []level, idempotencyKey string) (outcome, error) {
	body, err := json.Marshal(map[string]any{"updates": part})
	if err != nil {
		return outcome{}, err
	}
	for try := 1; ; try++ {
		got, wait, err := p.once(ctx, body, idempotencyKey)
		if err == nil || wait == 0 || try == maxTries {
			return got, err
		}
		if err := p.pause(ctx, wait*time.Duration(try)); err != nil {
			return outcome{}, err
		}
	}
}

// once sends one request. A wait above zero means that a later try may succeed.
func (p pusher) once(ctx context.Context, body []byte, idempotencyKey string) (outcome, time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPatch, p.base+"/api/v1/sdk/inventory/bulk-update", bytes.NewReader(body))
	if err != nil {
		return outcome{}, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-API-Key", p.key)
	req.Header.Set("Idempotency-Key", idempotencyKey)
	res, err := p.http.Do(req)
	if err != nil {
		return outcome{}, time.Second, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return outcome{}, time.Second, err
	}
	if res.StatusCode == http.StatusOK {
		var answer struct{ Data outcome }
		err := json.Unmarshal(text, &answer)
		return answer.Data, 0, err
	}
	var fault struct{ Code, Message, RequestID string }
	_ = json.Unmarshal(text, &fault) // a proxy's page is no JSON; the status alone must do then
	err = fmt.Errorf("answered %d %s: %s (request %s)", res.StatusCode, fault.Code, fault.Message, fault.RequestID)
	if res.StatusCode != http.StatusTooManyRequests && res.StatusCode < 500 {
		return outcome{}, 0, err
	}
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	return outcome{}, time.Duration(max(seconds, 1)) * time.Second, err
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
