// Webhook-receiver-go receives webhooks from entrepot: it verifies both signatures, ignores events that it has already
// handled, and prints one line per event.
//
//	WEBHOOK_SECRET=whsec_… PORT=9090 go run ./examples/webhook-receiver-go
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"
)

// maxBody is how much of one request is read, in bytes.
const maxBody = 1 << 20

// event is the envelope of every delivery (interface §6.1).
type event struct {
	ID        string          `json:"id"`
	Event     string          `json:"event"`
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// receiver answers deliveries. It remembers the ids it has handled in memory only: a real shop
// keeps them in its database, inserted in the same transaction as its own change.
type receiver struct {
	secret string
	now    func() time.Time
	handle func(event) error

	mu      sync.Mutex
	handled map[string]bool
}

// ServeHTTP answers 401 to requests that are not from entrepot, 200 to handled events (now or before), and 500 when
// handling failed, so that the service tries again.
func (rc *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)) // the raw bytes: verify before parsing
	if err != nil {
		http.Error(w, "body too large", http.StatusRequestEntityTooLarge)
		return
	}
	if err := verify(rc.secret, r.Header, body, rc.now()); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	var ev event
	if err := json.Unmarshal(body, &ev); err != nil || ev.ID == "" {
		http.Error(w, "not an event", http.StatusBadRequest)
		return
	}

	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.handled[ev.ID] {
		fmt.Fprintln(w, "duplicate")
		return
	}
	if err := rc.handle(ev); err != nil {
		http.Error(w, "try again", http.StatusInternalServerError)
		return
	}
	rc.handled[ev.ID] = true
	fmt.Fprintln(w, "ok")
}

func newReceiver(secret string, handle func(event) error) *receiver {
	return &receiver{secret: secret, now: time.Now, handle: handle, handled: map[string]bool{}}
}

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	if secret == "" {
		log.Fatal("set WEBHOOK_SECRET to the endpoint's secret (whsec_…)")
	}
	rc := newReceiver(secret, func(ev event) error {
		_, err := fmt.Println("verified", ev.Event, ev.ID)
		return err
	})
	server := &http.Server{
		Addr:              "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "9090"),
		Handler:           rc,
		ReadHeaderTimeout: 5 * time.Second,
	}
	log.Print("listening on http://", server.Addr)
	log.Fatal(server.ListenAndServe())
}
