// Package fakeshop has what the in-memory shops of all platforms share.
package fakeshop

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Outbox holds a shop's notifications until they are sent. It is safe for concurrent use; set its switches before.
type Outbox struct {
	Tries     int  // how often a notification is sent until it is answered 200; 0 for once
	Drop      int  // every n-th notification is lost; 0: none
	Duplicate bool // each is sent twice
	Reorder   bool // the newest is sent first

	mu    sync.Mutex
	queue []Letter
	added int
	sent  int
	wake  chan struct{}
}

// Letter is a notification. One that is sent twice keeps its number.
type Letter struct {
	Topic  string
	Number int
	Body   []byte
	tries  int
}

// NewOutbox creates an empty one.
func NewOutbox(tries int) *Outbox { return &Outbox{Tries: tries, wake: make(chan struct{}, 1)} }

// Add queues a notification. Its content is rendered now, so that a repetition is the same.
func (o *Outbox) Add(topic string, content any) {
	body, err := json.Marshal(content)
	if err != nil {
		panic(err) // plain values
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.added++; o.Drop > 0 && o.added%o.Drop == 0 {
		return
	}
	l := Letter{Topic: topic, Number: o.added, Body: body}
	if o.put(l); o.Duplicate {
		o.put(l)
	}
}

// put queues a notification; o.mu is held.
func (o *Outbox) put(l Letter) {
	o.queue = append(o.queue, l)
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Sent returns how many notifications were sent, repeated ones included.
func (o *Outbox) Sent() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent
}

// Deliver sends the notifications one after the other until the context ends. address returns where a topic goes, ""
// for nowhere; sign sets the headers.
func (o *Outbox) Deliver(ctx context.Context, address func(topic string) string, sign func(Letter, http.Header)) {
	client := &http.Client{Timeout: 5 * time.Second}
	for ctx.Err() == nil {
		next, found := o.next()
		if !found {
			select {
			case <-ctx.Done():
			case <-o.wake:
			}
			continue
		}
		to := address(next.Topic)
		if to == "" || o.send(ctx, client, to, next, sign) {
			continue
		}
		if next.tries++; next.tries < o.Tries {
			o.mu.Lock()
			o.put(next)
			o.mu.Unlock()
		}
	}
}

// next removes the next notification.
func (o *Outbox) next() (next Letter, found bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		return next, false
	}
	at := 0
	if o.Reorder {
		at = len(o.queue) - 1
	}
	next = o.queue[at]
	o.queue = slices.Delete(o.queue, at, at+1)
	return next, true
}

// send reports whether a notification was answered 200, which is a success to every platform, or cannot be sent at all.
func (o *Outbox) send(ctx context.Context, client *http.Client, to string, l Letter, sign func(Letter, http.Header)) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(l.Body))
	if err != nil {
		return true
	}
	r.Header.Set("Content-Type", "application/json")
	sign(l, r.Header)
	o.mu.Lock()
	o.sent++
	o.mu.Unlock()
	answer, err := client.Do(r)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}
