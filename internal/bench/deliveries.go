package bench

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

const (
	deliveryEvents  = 20_000           // price changes whose deliveries are awaited
	deliverySilence = 30 * time.Second // without a delivery: the rest is lost or stuck
)

// receiver is a webhook endpoint on this machine: it answers 204, checks signatures (interface §5.2) and counts each
// event once.
type receiver struct {
	server *httptest.Server

	mu           sync.Mutex
	secret       string
	seen         map[string]bool // ids of events
	lags         *tally          // from an event's timestamp to its arrival
	wrong, again int             // deliveries that were signed wrongly, or came again
	last         time.Time       // of the last new delivery
}

func newReceiver() *receiver {
	in := &receiver{seen: map[string]bool{}, lags: newTally()}
	in.server = httptest.NewServer(in)
	return in
}

func (in *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	var event struct {
		ID        string    `json:"id"`
		Timestamp time.Time `json:"timestamp"`
	}
	if err != nil || json.Unmarshal(body, &event) != nil || event.ID == "" {
		http.Error(w, "no event", http.StatusBadRequest)
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	mac := hmac.New(sha256.New, []byte(in.secret))
	mac.Write(body)
	if !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(r.Header.Get("X-Webhook-Signature"))) {
		in.wrong++
	}
	if in.seen[event.ID] {
		in.again++
	} else {
		in.seen[event.ID], in.last = true, time.Now()
		_ = in.lags.waits.RecordValue(max(1, in.last.Sub(event.Timestamp).Microseconds()))
		in.lags.requests++
		in.lags.items++
	}
	w.WriteHeader(http.StatusNoContent)
}

// progress returns how many deliveries have arrived, and when the last new one did.
func (in *receiver) progress() (int, time.Time) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.seen), in.last
}

// measureDeliveries registers an endpoint, changes prices and waits for their deliveries. The rate is measured from the
// first request to the last delivery; the latency is from an event's timestamp to its arrival.
func measureDeliveries(ctx context.Context, r *run, clients int) (*Figures, error) {
	in := newReceiver()
	defer in.server.Close()
	remove, err := r.registerEndpoint(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("register an endpoint (it needs write:webhooks, and a service with --dev): %w", err)
	}
	defer remove()
	began := time.Now()
	requests := make(chan call, deliveryEvents)
	expected := 0
	for expected < deliveryEvents {
		c := r.prices()
		requests <- c
		expected += c.items
	}
	close(requests)
	sent := together(clients, func(_ int, t *tally) {
		for c := range requests {
			r.count(ctx, r.Keys[0], c, t)
		}
	})
	if sent.first != "" {
		return nil, errors.New(sent.first)
	}
	for ticker := time.NewTicker(20 * time.Millisecond); ; {
		arrived, last := in.progress()
		if arrived >= expected {
			break
		}
		if time.Since(began) > deliverySilence && time.Since(last) > deliverySilence {
			return nil, fmt.Errorf("%d of %d deliveries did not arrive", expected-arrived, expected)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
		}
	}
	f := in.lags.figures(in.last.Sub(began))
	if in.wrong > 0 {
		err = fmt.Errorf("%d deliveries were signed wrongly", in.wrong)
	}
	f.Duplicates = in.again
	return f, err
}

// registerEndpoint subscribes a receiver to changes of products; remove deletes the endpoint again.
func (r *run) registerEndpoint(ctx context.Context, in *receiver) (remove func(), err error) {
	var made struct {
		Data struct{ ID, Secret string } `json:"data"`
	}
	body, err := json.Marshal(map[string]any{
		"url": in.server.URL, "events": []string{"product.updated"}, "description": "entrepot bench, may be deleted"})
	if err == nil {
		err = r.ask(ctx, call{method: "POST", path: "developer/webhooks", body: body}, &made)
	}
	in.secret = made.Data.Secret
	return func() {
		if err := r.ask(context.WithoutCancel(ctx), call{method: "DELETE", path: "developer/webhooks/" + made.Data.ID}, nil); err != nil {
			r.say("deliveries: the endpoint %s could not be removed: %v", made.Data.ID, err)
		}
	}, err
}
