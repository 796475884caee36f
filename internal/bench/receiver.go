package bench

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/maphash"
	"net"
	"sync"
	"time"
)

// receiver is a webhook endpoint on this machine, as cheap as the client: it answers 204 to every delivery, checks its
// signature (interface §5.2) and counts it once per endpoint and event id.
type receiver struct {
	listener net.Listener
	seed     maphash.Seed

	mu      sync.Mutex
	secrets map[string]string   // by path; "" is the secret of every other path
	slow    string              // the path whose deliveries are answered late and not counted; "" for none
	waited  int                 // how many of these were answered
	seen    map[uint64]struct{} // hash of path and event id
	tally   receipts
	conns   map[net.Conn]struct{}
}

// receipts is what has arrived so far.
type receipts struct {
	distinct, duplicates, badSignatures int
	lag                                 Histogram     // from the event's timestamp to its arrival
	last                                time.Time     // of the last distinct delivery
	pause                               time.Duration // the longest between two of these
	bytes                               int64
	complaint                           string // the first request that was no delivery
}

func startReceiver(address string) (*receiver, error) {
	l, err := listenLoopback(address)
	if err != nil {
		return nil, err
	}
	r := &receiver{listener: l, seed: maphash.MakeSeed(), secrets: map[string]string{}, seen: map[uint64]struct{}{},
		conns: map[net.Conn]struct{}{}}
	go r.accept()
	return r, nil
}

// listenLoopback listens on an address of this machine only.
func listenLoopback(address string) (net.Listener, error) {
	if !loopback(address) {
		return nil, fmt.Errorf("%q is not a loopback address like 127.0.0.1:0", address)
	}
	return net.Listen("tcp", address)
}

// expect sets the secret with which deliveries to a path are signed; the path
// "" stands for all paths without a secret of their own.
func (r *receiver) expect(path, secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[path] = secret
}

// sofar answers a copy of the receipts.
func (r *receiver) sofar() receipts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tally
}

// forget starts counting anew, but for what comes twice, and makes a path slow from now on.
func (r *receiver) forget(slow string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slow, r.tally = slow, receipts{}
}

// answeredLate is how many deliveries to the slow path were answered.
func (r *receiver) answeredLate() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waited
}

// close stops listening and drops every connection.
func (r *receiver) close() {
	r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := range r.conns {
		n.Close()
	}
}

func (r *receiver) accept() {
	for {
		n, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		r.conns[n] = struct{}{}
		r.mu.Unlock()
		go func() {
			defer func() {
				n.Close()
				r.mu.Lock()
				delete(r.conns, n)
				r.mu.Unlock()
			}()
			r.serve(n)
		}()
	}
}

var accepted = []byte("HTTP/1.1 204 No Content\r\n\r\n")

// serve receives deliveries from one connection until the sender closes it.
func (r *receiver) serve(n net.Conn) {
	in := bufio.NewReaderSize(n, 16<<10)
	macs := map[string]hash.Hash{}
	var path string
	var body, signature []byte
	for {
		line, err := readLine(in)
		if err != nil {
			return
		}
		if parts := bytes.Fields(line); len(parts) == 3 {
			if string(parts[1]) != path {
				path = string(parts[1])
			}
		}
		signature = signature[:0]
		f, err := readHeader(in, func(name, value []byte) {
			if len(name) == len("x-webhook-signature") && bytes.EqualFold(name, []byte("x-webhook-signature")) {
				signature = append(signature, value...)
			}
		})
		if err != nil {
			return
		}
		if body, _, err = readBody(in, f, body[:0], true); err != nil {
			return
		}
		late := r.late(path)
		if _, err := n.Write(accepted); err != nil {
			return
		}
		if !late {
			r.record(macs, path, signature, body)
		}
		if f.closes {
			return
		}
	}
}

// slowAnswer is how long a slow endpoint takes.
const slowAnswer = time.Second

// late waits before a delivery to the slow path is answered.
func (r *receiver) late(path string) bool {
	r.mu.Lock()
	slow := r.slow != "" && path == r.slow
	r.mu.Unlock()
	if !slow {
		return false
	}
	time.Sleep(slowAnswer)
	r.mu.Lock()
	r.waited++
	r.mu.Unlock()
	return true
}

// record counts one delivery. macs are the connection's own keyed hashes, one for each secret, so that keys are not
// prepared for every delivery.
func (r *receiver) record(macs map[string]hash.Hash, path string, signature, body []byte) {
	now := time.Now()
	id, at, ok := envelopeOf(body)
	r.mu.Lock()
	secret, known := r.secrets[path]
	if !known {
		secret = r.secrets[""]
	}
	r.mu.Unlock()
	mac := macs[secret]
	if mac == nil {
		mac = hmac.New(sha256.New, []byte(secret))
		macs[secret] = mac
	}
	mac.Reset()
	mac.Write(body)
	var sum [sha256.Size]byte
	var want [2 * sha256.Size]byte
	hex.Encode(want[:], mac.Sum(sum[:0]))
	genuine := hmac.Equal(want[:], signature)
	var key maphash.Hash
	key.SetSeed(r.seed)
	key.WriteString(path)
	key.WriteByte(0)
	key.Write(id)
	sumKey := key.Sum64()

	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.tally
	t.bytes += int64(len(body))
	switch {
	case !ok:
		if t.complaint == "" {
			t.complaint = fmt.Sprintf("not an event envelope: %q", body[:min(len(body), 200)])
		}
		return
	case !genuine:
		t.badSignatures++
	}
	if _, dup := r.seen[sumKey]; dup {
		t.duplicates++
		return
	}
	r.seen[sumKey] = struct{}{}
	t.distinct++
	if !t.last.IsZero() {
		t.pause = max(t.pause, now.Sub(t.last))
	}
	t.last = now
	t.lag.Add(now.Sub(at))
}

// envelopeOf reads id and timestamp of an event envelope (interface §6.1),
// which come before its data.
func envelopeOf(body []byte) (id []byte, at time.Time, ok bool) {
	id, ok = firstString(body, `"id":`)
	if !ok {
		return nil, at, false
	}
	stamp, ok := firstString(body, `"timestamp":`)
	if !ok {
		return nil, at, false
	}
	at, err := time.Parse(time.RFC3339Nano, string(stamp))
	return id, at, err == nil
}

// firstString is the string after the first occurrence of label.
func firstString(body []byte, label string) ([]byte, bool) {
	at := bytes.Index(body, []byte(label))
	if at < 0 {
		return nil, false
	}
	rest := bytes.TrimLeft(body[at+len(label):], " ")
	if len(rest) == 0 || rest[0] != '"' {
		return nil, false
	}
	end := bytes.IndexByte(rest[1:], '"')
	if end < 0 {
		return nil, false
	}
	return rest[1 : 1+end], true
}
