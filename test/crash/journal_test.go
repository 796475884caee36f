package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"entrepot/test/blackbox/harness"
)

// entry is one request of one client and its outcome.
type entry struct {
	key     string // its Idempotency-Key
	method  string
	path    string
	body    []byte
	status  int    // of the first answer that arrived; 0 if none did
	answer  []byte // its bytes
	orderID string // the order it made or moved
	kind    string // "order", "move", "ship", "edit", "stock", "customer"
	to      string // a move's target
	asked   int    // how often it was sent
}

// worker is one client: it writes, keeps its journal, and repeats under the same key what was not answered.
type worker struct {
	number  int
	client  harness.Client
	nodes   []string                                               // addresses; each attempt goes to the next one. nil: to the client's
	heard   func(sent time.Time, answer harness.Answer, err error) // hears what came of each attempt; nil: nobody does
	random  *rand.Rand
	journal []*entry
	open    []*entry          // orders made by this worker that may still move
	status  map[string]string // order id → status as answered
	sent    int
}

// work sends requests until stop is closed. A request without an answer is sent again, with its key,
// until it has one: that is what the key is for.
func (w *worker) work(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		w.settle(w.next(), stop)
	}
}

// settle sends an entry until it is answered or stop is closed.
func (w *worker) settle(e *entry, stop <-chan struct{}) {
	for {
		client := w.client
		if len(w.nodes) > 0 {
			client.Base = w.nodes[(w.number+e.asked)%len(w.nodes)]
		}
		e.asked++
		sent := time.Now()
		answer, err := client.Do(harness.Request{
			Method: e.method, Path: e.path, Body: e.body, Header: http.Header{"Idempotency-Key": {e.key}},
		})
		if w.heard != nil {
			w.heard(sent, answer, err)
		}
		if err == nil && answer.Status != http.StatusServiceUnavailable && answer.Status < 500 {
			w.keep(e, answer)
			return
		}
		if err == nil && answer.Status >= 500 && answer.Status != http.StatusServiceUnavailable {
			w.keep(e, answer) // the audit will name it
			return
		}
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (w *worker) keep(e *entry, answer harness.Answer) {
	e.status, e.answer = answer.Status, answer.Body
	if e.status/100 != 2 {
		return
	}
	switch e.kind {
	case "order":
		e.orderID = answer.Text("data", "id")
		w.status[e.orderID] = answer.Text("data", "status")
		w.open = append(w.open, e)
	case "move", "edit":
		w.status[e.orderID] = answer.Text("data", "status")
	case "ship":
		w.status[e.orderID] = answer.Text("data", "orderStatus")
	}
}

// next invents the worker's next request and puts it into the journal before it is sent.
func (w *worker) next() *entry {
	w.sent++
	e := &entry{key: fmt.Sprintf("w%d-%d", w.number, w.sent)}
	w.journal = append(w.journal, e)
	what := w.random.IntN(10)
	if len(w.open) == 0 && what >= 4 && what <= 7 {
		what = 0
	}
	switch {
	case what <= 3:
		lines := []any{}
		for range 1 + w.random.IntN(3) {
			lines = append(lines, map[string]any{"sku": sku(w.random.IntN(skus)), "quantity": 1 + w.random.IntN(4),
				"unitPrice": json.Number(fmt.Sprintf("%d.%02d", w.random.IntN(50), w.random.IntN(100)))})
		}
		e.kind = "order"
		e.fill(http.MethodPost, "/api/v1/orders", map[string]any{
			"customerName": fmt.Sprintf("Worker %d", w.number), "customerEmail": fmt.Sprintf("buyer%d@crash.example", w.random.IntN(30)),
			"externalReference": fmt.Sprintf("REF-%d-%d", w.number, w.sent), "initialStatus": "PROCESSING", "items": lines,
		})
	case what <= 5:
		e.orderID, e.kind = w.pick(), "move"
		e.to = []string{"SHIPPED", "CANCELLED", "DELIVERED", "RETURNED"}[w.random.IntN(4)]
		e.fill(http.MethodPatch, "/api/v1/orders/"+e.orderID+"/status", map[string]any{"status": e.to, "note": e.key})
	case what == 6:
		e.orderID, e.kind = w.pick(), "ship"
		e.fill(http.MethodPost, "/api/v1/orders/"+e.orderID+"/shipments", map[string]any{
			"trackingNumber": e.key, "items": []any{map[string]any{"orderItemId": w.line(e.orderID), "quantity": 1}}})
	case what == 7:
		e.orderID, e.kind = w.pick(), "edit"
		e.fill(http.MethodPut, "/api/v1/orders/"+e.orderID+"/items", map[string]any{
			"items": []any{map[string]any{"sku": sku(w.random.IntN(skus)), "quantity": 1 + w.random.IntN(5), "unitPrice": 1 + w.random.IntN(9)}}})
	case what == 8:
		e.kind = "stock"
		e.fill(http.MethodPost, "/api/v1/inventory/movements", map[string]any{"sku": sku(w.random.IntN(skus)), "type": "receive",
			"quantity": 1 + w.random.IntN(9), "reason": e.key})
	default:
		e.kind = "customer"
		e.fill(http.MethodPost, "/api/v1/customers", map[string]any{"email": fmt.Sprintf("%s@crash.example", e.key), "tags": []string{e.key}})
	}
	return e
}

func (e *entry) fill(method, path string, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	e.method, e.path, e.body = method, path, text
}

func (w *worker) pick() string { return w.open[w.random.IntN(len(w.open))].orderID }

// line is the id of the order's first line, or a made-up one while the service is down.
func (w *worker) line(order string) string {
	answer, err := w.client.Call(http.MethodGet, "/api/v1/orders/"+order, nil)
	if id := answer.Text("data", "items", 0, "id"); err == nil && id != "" {
		return id
	}
	return "019a1c52-7c1e-7d40-9a55-000000000000"
}

const skus = 12

func sku(n int) string { return fmt.Sprintf("CRASH-%02d", n) }

// newWorkers are clients whose choices follow from the seed.
func newWorkers(n int, client harness.Client) (workers []*worker) {
	for number := range n {
		workers = append(workers, &worker{number: number, client: client, status: map[string]string{},
			random: rand.New(rand.NewPCG(*seed, uint64(number)))})
	}
	return workers
}

// settleAll asks once more, with its key, for what was cut off.
func settleAll(workers []*worker) {
	together(workers, func(w *worker) {
		for _, e := range w.journal {
			if e.status == 0 {
				w.settle(e, make(chan struct{}))
			}
		}
	})
}

// together runs f for every worker at once.
func together(workers []*worker, f func(*worker)) {
	var wait sync.WaitGroup
	for _, w := range workers {
		wait.Go(func() { f(w) })
	}
	wait.Wait()
}
