package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// inbox is the demo's own webhook receiver: it prints every event with a valid signature.
type inbox struct {
	listener net.Listener
	server   *http.Server
	out      io.Writer

	mu     sync.Mutex
	secret string
}

// newInbox listens on a free port of this machine.
func newInbox(out io.Writer) (*inbox, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &inbox{listener: listener, out: out}
	b.server = &http.Server{Handler: b, ReadHeaderTimeout: 5 * time.Second}
	go b.server.Serve(listener)
	return b, nil
}

func (b *inbox) url() string { return "http://" + b.listener.Addr().String() + "/hooks" }

// brokenURL answers every delivery with 503.
func (b *inbox) brokenURL() string { return "http://" + b.listener.Addr().String() + "/broken" }

func (b *inbox) close() { b.server.Close() }

func (b *inbox) trust(secret string) {
	b.mu.Lock()
	b.secret = secret
	b.mu.Unlock()
}

func (b *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/broken" {
		http.Error(w, "the old ERP is out of order", http.StatusServiceUnavailable)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	mac := hmac.New(sha256.New, []byte(b.secret))
	mac.Write(body)
	if b.secret == "" || !hmac.Equal([]byte(r.Header.Get("X-Webhook-Signature")), []byte(hex.EncodeToString(mac.Sum(nil)))) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var event struct {
		Event string
		Data  struct{ ID, SKU, OrderID, OrderNumber, Status string }
	}
	if err := json.Unmarshal(body, &event); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	about := event.Data.OrderNumber
	for _, text := range []string{event.Data.SKU, event.Data.OrderID, event.Data.ID} {
		if about == "" {
			about = text
		}
	}
	fmt.Fprintf(b.out, "%s  webhook  %-22s verified  %s %s\n", time.Now().Format(time.TimeOnly), event.Event, about, event.Data.Status)
}
