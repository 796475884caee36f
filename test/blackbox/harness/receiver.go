package harness

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Delivery is one POST a webhook endpoint got, whatever it answered.
type Delivery struct {
	At       time.Time
	Header   http.Header
	Body     []byte
	Answered int
}

// Kind is the event named in the envelope.
func (d Delivery) Kind() string { return d.text("event") }

// EventID is the id in the envelope, equal over retries and replays.
func (d Delivery) EventID() string { return d.text("id") }

// Value is the decoded envelope.
func (d Delivery) Value() any {
	value, err := Decode(d.Body)
	if err != nil {
		return nil
	}
	return value
}

func (d Delivery) text(key string) string {
	text, _ := At(d.Value(), key).(string)
	return text
}

// Receiver is a web server on loopback that receives webhooks as a merchant's would.
type Receiver struct {
	server  *httptest.Server
	mu      sync.Mutex
	inboxes map[string]*Inbox
}

// NewReceiver starts a receiver; Close ends it.
func NewReceiver() *Receiver {
	r := &Receiver{inboxes: map[string]*Inbox{}}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	return r
}

// Close ends the receiver.
func (r *Receiver) Close() { r.server.CloseClientConnections(); r.server.Close() }

// Inbox makes a new address on the receiver.
func (r *Receiver) Inbox() *Inbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	path := fmt.Sprintf("/inbox/%d", len(r.inboxes)+1)
	inbox := &Inbox{URL: r.server.URL + path}
	r.inboxes[path] = inbox
	return inbox
}

func (r *Receiver) serve(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	inbox := r.inboxes[request.URL.Path]
	r.mu.Unlock()
	if inbox == nil {
		http.NotFound(w, request)
		return
	}
	inbox.serve(w, request)
}

// Inbox is one address of a receiver: its deliveries, and its answers.
type Inbox struct {
	URL string

	mu         sync.Mutex
	deliveries []Delivery
	secrets    []string
	answers    []Reply
}

// Reply is how an inbox answers a delivery: status 200 at once unless it is set otherwise.
type Reply struct {
	Status   int
	Location string        // with a redirect status
	Delay    time.Duration // before answering
	Body     string
}

// Secret adds a signing secret; a delivery is valid if its signature matches any of them.
func (i *Inbox) Secret(secret string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.secrets = append(i.secrets, secret)
}

// Answer sets the replies to the next deliveries, in order; the last one is used from then on.
func (i *Inbox) Answer(replies ...Reply) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.answers = replies
}

// Deliveries is a copy of all that came so far, in order of arrival.
func (i *Inbox) Deliveries() []Delivery {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]Delivery(nil), i.deliveries...)
}

func (i *Inbox) serve(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	i.mu.Lock()
	reply := Reply{Status: http.StatusOK}
	if len(i.answers) > 0 {
		reply = i.answers[0]
		if len(i.answers) > 1 {
			i.answers = i.answers[1:]
		}
	}
	i.deliveries = append(i.deliveries, Delivery{At: time.Now(), Header: request.Header.Clone(), Body: body, Answered: reply.Status})
	i.mu.Unlock()
	if reply.Delay > 0 {
		select {
		case <-time.After(reply.Delay):
		case <-request.Context().Done():
			return
		}
	}
	if reply.Location != "" {
		w.Header().Set("Location", reply.Location)
	}
	w.WriteHeader(reply.Status)
	_, _ = io.WriteString(w, reply.Body)
}

// Check returns every error of a delivery: its form, its headers, and both signatures (interface §5.2, §6.1).
func (i *Inbox) Check(d Delivery) []string {
	i.mu.Lock()
	secrets := append([]string(nil), i.secrets...)
	i.mu.Unlock()
	faults := MatchValue(map[string]any{
		"<only>": true, "id": "<uuid>", "event": "<text>", "timestamp": "<time>", "data": "<object>",
	}, d.Value(), Vars{})
	header := func(name string) string { return d.Header.Get(name) }
	for name, want := range map[string]string{
		"X-Webhook-Id": d.EventID(), "X-Webhook-Event": d.Kind(), "webhook-id": d.EventID(),
	} {
		if header(name) != want {
			faults = append(faults, fmt.Sprintf("header %s: want %q, got %q", name, want, header(name)))
		}
	}
	if !strings.HasPrefix(header("Content-Type"), "application/json") {
		faults = append(faults, "Content-Type is "+header("Content-Type"))
	}
	if !strings.HasPrefix(header("User-Agent"), "entrepot/") {
		faults = append(faults, "User-Agent is "+header("User-Agent"))
	}
	if attempt, err := strconv.Atoi(header("X-Webhook-Attempt")); err != nil || attempt < 1 {
		faults = append(faults, "X-Webhook-Attempt is "+header("X-Webhook-Attempt"))
	}
	if header("X-Webhook-Timestamp") == "" {
		faults = append(faults, "X-Webhook-Timestamp is missing")
	}
	if seconds, err := strconv.ParseInt(header("webhook-timestamp"), 10, 64); err != nil || d.At.Unix()-seconds > 300 ||
		seconds-d.At.Unix() > 300 {
		faults = append(faults, "webhook-timestamp is "+header("webhook-timestamp")+", not the time of the attempt in Unix seconds")
	}
	if !anySecret(secrets, func(secret string) bool {
		return header("X-Webhook-Signature") == hex.EncodeToString(sum([]byte(secret), d.Body))
	}) {
		faults = append(faults, "X-Webhook-Signature fits no known secret: "+header("X-Webhook-Signature"))
	}
	if !anySecret(secrets, func(secret string) bool { return standardSignature(secret, d) }) {
		faults = append(faults, "webhook-signature fits no known secret: "+header("webhook-signature"))
	}
	return faults
}

// standardSignature checks the Standard Webhooks form: "v1,<base64>" over id.timestamp.body,
// keyed with the decoded base64 part of the secret; one of several signatures may fit.
func standardSignature(secret string, d Delivery) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	signed := d.Header.Get("webhook-id") + "." + d.Header.Get("webhook-timestamp") + "." + string(d.Body)
	want := "v1," + base64.StdEncoding.EncodeToString(sum(key, []byte(signed)))
	for _, given := range strings.Fields(d.Header.Get("webhook-signature")) {
		if given == want {
			return true
		}
	}
	return false
}

func sum(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil)
}

func anySecret(secrets []string, fits func(string) bool) bool {
	for _, secret := range secrets {
		if fits(secret) {
			return true
		}
	}
	return false
}
