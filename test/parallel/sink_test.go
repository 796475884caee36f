package parallel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/test/blackbox/harness"
)

// sink is an endpoint that stays: it takes every event from the first one, and keeps when each came and was taken.
type sink struct {
	name     string
	ordered  bool
	stumbles bool // fails the first attempt of some events
	id       string
	secret   string
	inbox    harness.Inbox // checks whole deliveries
	moments  atomic.Int64

	mu    sync.Mutex
	came  map[string]int64 // event id → moment of its first attempt
	taken map[string]int64 // event id → moment of its first 2xx
	times int
	ages  []time.Duration // of events when they were taken
}

var envelopeTime = regexp.MustCompile(`"timestamp":"([^"]*)"`)

// open starts the sink's server and registers it.
func (k *sink) open(s *shop) {
	k.came, k.taken = map[string]int64{}, map[string]int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { k.take(s, w, r) }))
	s.t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	body := object{"url": server.URL, "events": []string{"*"}, "ordered": k.ordered}
	made := s.must(http.MethodPost, "/api/v1/developer/webhooks", body, 201)
	k.id, k.secret = made.Text("data", "id"), made.Text("data", "secret")
	k.inbox.Secret(k.secret)
}

func (k *sink) take(s *shop, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	id := r.Header.Get("X-Webhook-Id")
	mac := hmac.New(sha256.New, []byte(k.secret))
	mac.Write(body)
	if r.Header.Get("X-Webhook-Signature") != hex.EncodeToString(mac.Sum(nil)) {
		s.defect("webhook", "%s: a wrong X-Webhook-Signature on %s %s", k.name, r.Header.Get("X-Webhook-Event"), id)
	}
	hash := fnv.New32a()
	hash.Write([]byte(id))
	status := http.StatusOK
	if k.stumbles && r.Header.Get("X-Webhook-Attempt") == "1" && hash.Sum32()%50 == 0 {
		status = http.StatusInternalServerError
	}
	if hash.Sum32()%20 == 0 { // whole checks cost much
		for _, wrong := range k.inbox.Check(harness.Delivery{At: time.Now(), Header: r.Header, Body: body}) {
			s.defect("webhook", "%s: %s %s: %s", k.name, r.Header.Get("X-Webhook-Event"), id, wrong)
		}
	}
	now := k.moments.Add(1)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.times++
	if _, again := k.came[id]; !again {
		k.came[id] = now
	}
	if _, again := k.taken[id]; !again && status == http.StatusOK {
		k.taken[id] = now
		if at := envelopeTime.FindSubmatch(body); at != nil {
			if happened, err := time.Parse(time.RFC3339, string(at[1])); err == nil {
				k.ages = append(k.ages, time.Since(happened))
			}
		}
	}
	w.WriteHeader(status)
}

// event is one entry of the event log.
type event struct{ id, name, resource string }

// log reads the account's event log, in the order of commits.
func (s *shop) log() []event {
	var events []event
	after := ""
	for {
		path := "/api/v1/developer/events?limit=1000"
		if after != "" {
			path += "&after=" + after
		}
		page, ok := s.get("GET /developer/events", path)
		if !ok {
			s.defect("event log", "%s", page)
			return events
		}
		value := page.Value()
		list, _ := harness.At(value, "data").([]any)
		for _, entry := range list {
			e := event{}
			e.id, _ = harness.At(entry, "id").(string)
			e.name, _ = harness.At(entry, "event").(string)
			for _, member := range []string{"orderId", "sku", "id", "jobId"} {
				of, _ := harness.At(entry, "data", member).(string)
				if member == "sku" && (len(e.name) < 6 || e.name[:6] != "stock.") {
					continue // a product's events are about its id
				}
				if of != "" && e.resource == "" {
					e.resource = of
				}
			}
			events = append(events, e)
		}
		if after, _ = harness.At(value, "meta", "nextAfter").(string); harness.At(value, "meta", "hasMore") != true {
			return events
		}
	}
}

// auditDeliveries waits until every event of the log was taken by every sink, as long as there is progress, and holds the
// order in which ordered endpoints got the events of one resource against the log.
func (s *shop) auditDeliveries() {
	began, moved, last := time.Now(), time.Now(), -1
	var events []event
	for {
		events = s.log()
		missing, first := 0, ""
		for _, k := range s.sinks {
			k.mu.Lock()
			for _, e := range events {
				if _, taken := k.taken[e.id]; !taken {
					if missing++; first == "" {
						first = k.name + ": " + e.name + " " + e.id + " of " + e.resource
					}
				}
			}
			k.mu.Unlock()
		}
		if missing == 0 {
			break
		}
		if missing != last {
			moved, last = time.Now(), missing
		}
		if time.Since(moved) > 2*time.Minute { // as long as some come, a slow machine has its time
			s.defect("webhook", "%d deliveries of %d events did not come within %s of the end, e. g. %s",
				missing, len(events), time.Since(began), first)
			break
		}
		time.Sleep(300 * time.Millisecond)
	}
	drained := time.Since(began)
	for _, k := range s.sinks {
		k.mu.Lock()
		latest := map[string]event{}
		for _, e := range events {
			before, is := latest[e.resource]
			if is && k.ordered && k.came[e.id] != 0 && (k.taken[before.id] == 0 || k.came[e.id] < k.taken[before.id]) {
				s.defect("webhook order", "%s: %s %s of %s came at %d, before the earlier %s %s was taken at %d",
					k.name, e.name, e.id, e.resource, k.came[e.id], before.name, before.id, k.taken[before.id])
			}
			latest[e.resource] = e
		}
		known := map[string]bool{}
		for _, e := range events {
			known[e.id] = true
		}
		for id := range k.came {
			if !known[id] {
				s.defect("webhook", "%s got an event that is not in the log: %s", k.name, id)
			}
		}
		slices.Sort(k.ages)
		age := func(percent int) time.Duration { return k.ages[(len(k.ages)-1)*percent/100].Round(time.Millisecond) }
		if len(k.ages) > 0 {
			s.t.Logf("endpoint %q: %d deliveries of %d events, taken p50 %s, p99 %s, at most %s after they happened",
				k.name, k.times, len(k.came), age(50), age(99), age(100))
		}
		k.mu.Unlock()
	}
	wrong := 0
	for _, d := range s.passing.Deliveries() {
		if defects := s.passing.Check(d); len(defects) > 0 {
			wrong++
			s.defect("webhook", "an endpoint that came and went: %s %s: %v", d.Kind(), d.EventID(), defects)
		}
	}
	s.t.Logf("endpoints that came and went: %d deliveries, %d wrong; all webhooks were through %s after the end",
		len(s.passing.Deliveries()), wrong, drained)
}
