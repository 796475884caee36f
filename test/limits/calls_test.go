package limits

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"entrepot/test/blackbox/harness"
)

// clients is the number of callers that share one key; each sends to one of the nodes.
const clients = 64

// call is one request and what the answer said.
type call struct {
	sent, received time.Time
	status         int
	limit          int
	remaining      int
	reset          int64
	retryAfter     int
}

// ask sends one request; an error of the connection ends the test.
func ask(t *testing.T, client harness.Client, request harness.Request) call {
	c := call{sent: time.Now()}
	answer, err := client.Do(request)
	c.received = time.Now()
	if err != nil {
		t.Error(err)
		return c
	}
	c.status = answer.Status
	c.limit, c.remaining = number(answer.Header, "X-RateLimit-Limit"), number(answer.Header, "X-RateLimit-Remaining")
	c.reset, c.retryAfter = int64(number(answer.Header, "X-RateLimit-Reset")), number(answer.Header, "Retry-After")
	if c.status != http.StatusOK && c.status != http.StatusTooManyRequests {
		t.Errorf("%s", answer)
	}
	if c.status == http.StatusTooManyRequests && c.retryAfter < 1 {
		t.Errorf("a refusal without Retry-After: %s", answer)
	}
	return c
}

func number(header http.Header, name string) int {
	n, err := strconv.Atoi(header.Get(name))
	if err != nil {
		return -1
	}
	return n
}

// atOnce starts all clients at the same time, spread over the nodes, and returns every call that they made.
func atOnce(nodes []*harness.Server, key string, send func(n int, client harness.Client) []call) []call {
	var mu sync.Mutex
	var all []call
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for n := range clients {
		wg.Go(func() {
			client := harness.Client{Base: nodes[n%len(nodes)].Base, Key: key}
			<-begin
			calls := send(n, client)
			mu.Lock()
			all = append(all, calls...)
			mu.Unlock()
		})
	}
	close(begin)
	wg.Wait()
	return all
}

// passed picks the calls that were let through.
func passed(calls []call) (through []call) {
	for _, c := range calls {
		if c.status == http.StatusOK {
			through = append(through, c)
		}
	}
	return through
}

// bounds are the first sending and the last answer.
func bounds(calls []call) (first, last time.Time) {
	first, last = calls[0].sent, calls[0].received
	for _, c := range calls {
		if c.sent.Before(first) {
			first = c.sent
		}
		if c.received.After(last) {
			last = c.received
		}
	}
	return first, last
}

// span is the time between its bounds.
func span(calls []call) time.Duration {
	first, last := bounds(calls)
	return last.Sub(first)
}

// mostInASecond is the largest number of calls of which it is certain that they were decided within one second: all that
// were sent after some moment and answered less than a second after it.
func mostInASecond(calls []call) (most int) {
	for _, from := range calls {
		n := 0
		for _, c := range calls {
			if !c.sent.Before(from.sent) && c.received.Before(from.sent.Add(time.Second)) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// beforeRefusal is the largest number of calls that can have passed within the second before a refusal was decided.
func beforeRefusal(through []call, refused call) (n int) {
	for _, c := range through {
		if c.sent.Before(refused.received) && c.received.After(refused.sent.Add(-time.Second)) {
			n++
		}
	}
	return n
}

// countedOnce checks the headers of what passed: one limit, one end of the window, and every number from most-1 downwards
// shown exactly once.
func countedOnce(t *testing.T, through []call, most int) {
	t.Helper()
	shown := map[int]int{}
	for _, c := range through {
		shown[c.remaining]++
		if c.limit != most || c.reset != through[0].reset {
			t.Errorf("limit %d and reset %d, want %d and %d: there is more than one window", c.limit, c.reset, most, through[0].reset)
			return
		}
	}
	for n := most - len(through); n < most; n++ {
		if shown[n] != 1 {
			t.Errorf("%d requests were answered that %d remain, want one", shown[n], n)
			return
		}
	}
}
