package floods

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

var long = flag.Bool("long", false, "more callers, both engines")

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Cleanup()
	dbtest.Stop()
	os.Exit(code)
}

// most is what the process may take at the most, in MB.
const most = 400

// wideWait is how long a request for a list waits at least for its turn before it is refused, however busy the machine is.
const wideWait = 10 * time.Second

// memory reads a figure of a process from the system, in MB; it skips the test where there is none.
func memory(t *testing.T, pid int, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skipf("this system does not say how much memory a process takes: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kb, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return kb >> 10
		}
	}
	t.Fatalf("/proc has no %s", name)
	return 0
}

// leastWait is how long the service waits at least for a connection or a lock before it answers 503.
const leastWait = 2 * time.Second

// bodyWait is how long a body waits at least for memory before it is refused.
const bodyWait = 2 * time.Second

// flood is floodOn for SQLite, and with -long for both engines.
func flood(t *testing.T, options harness.Options, most int, send func(t *testing.T, s *harness.Server)) {
	engines := []harness.Engine{harness.SQLite}
	if *long {
		engines = append(engines, harness.Postgres)
	}
	floodOn(t, engines, options, most, send)
}

// floodOn starts a service, lets the flood go, and holds its process's peak against the bound.
func floodOn(t *testing.T, engines []harness.Engine, options harness.Options, most int, send func(t *testing.T, s *harness.Server)) {
	for _, engine := range engines {
		t.Run(string(engine), func(t *testing.T) {
			options.Env = append(slices.Clip(options.Env), "GOMEMLIMIT=", "GOGC=") // the service's own limits, not those of the tests
			s := harness.Start(t, engine, options)
			memory(t, s.PID(), "VmHWM")
			send(t, s)
			peak := memory(t, s.PID(), "VmHWM")
			t.Logf("peak %d MB", peak)
			if peak > most {
				t.Errorf("the process took %d MB at the most, allowed are %d", peak, most)
			}
			if answer, err := (harness.Client{Base: s.Base}).Call(http.MethodGet, "/readyz", nil); err != nil || answer.Status != http.StatusOK {
				t.Errorf("afterwards: %v %s", err, answer)
			}
		})
	}
}

// scale is how many there are of something, more of them with -long.
func scale(n, many int) int {
	if *long {
		return many
	}
	return n
}

// atOnce calls send n times at the same time and counts the statuses that it returns; 0 is no answer.
func atOnce(n int, send func(i int) int) map[int]int {
	var mu sync.Mutex
	var wait sync.WaitGroup
	statuses := map[int]int{}
	for i := range n {
		wait.Go(func() {
			status := send(i)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	wait.Wait()
	return statuses
}

func status(answer harness.Answer, err error) int {
	if err != nil {
		return 0
	}
	return answer.Status
}

// Without a credential: bodies that are far too much for a login.
func TestLoginBodies(t *testing.T) {
	flood(t, harness.Options{}, most, func(t *testing.T, s *harness.Server) {
		body := []byte("[" + strings.Repeat("1,", 500_000) + "1]")
		statuses := atOnce(40, func(int) int {
			return status(harness.Client{Base: s.Base}.Do(harness.Request{Method: http.MethodPost, Path: "/api/v1/auth/login", Body: body}))
		})
		if statuses[http.StatusRequestEntityTooLarge] != 40 {
			t.Errorf("statuses %v, want 413", statuses)
		}
	})
}

// With one: as many values as a body may have bytes for.
func TestValues(t *testing.T) {
	flood(t, harness.Options{}, most, func(t *testing.T, s *harness.Server) {
		key := s.FirstAccount(t).Key
		orders := []byte(`{"items":[` + strings.Repeat("1,", 500_000) + "1]}")
		prices := []byte(`{"updates":[` + strings.Repeat("1,", 4<<20) + "1]}")
		statuses := atOnce(scale(32, 64), func(i int) int {
			if i%2 == 0 {
				return status(key.Do(harness.Request{Method: http.MethodPost, Path: "/api/v1/orders", Body: orders}))
			}
			return status(key.Do(harness.Request{Method: http.MethodPatch, Path: "/api/v1/sdk/prices/bulk-update", Body: prices}))
		})
		t.Logf("statuses %v", statuses)
		for got := range statuses {
			if got != http.StatusBadRequest && got != http.StatusServiceUnavailable {
				t.Errorf("statuses %v, want 400, or 503 beyond what there is room for", statuses)
			}
		}
	})
}

// Bodies that are announced and never come.
func TestBodiesThatNeverCome(t *testing.T) {
	flood(t, harness.Options{}, most, func(t *testing.T, s *harness.Server) {
		key := s.FirstAccount(t).Key
		made, err := key.Call(http.MethodPost, "/api/v1/channels", map[string]any{"name": "Woo", "platform": "WOOCOMMERCE",
			"credentials": map[string]any{"url": "http://127.0.0.1:1", "consumerKey": "ck", "consumerSecret": "cs", "webhookSecret": "hush"}})
		if err != nil || made.Status != http.StatusCreated {
			t.Fatalf("%v %s", err, made)
		}
		path := "/api/v1/webhooks/platform/" + made.Text("data", "channel", "id") + "/woocommerce"
		n := scale(300, 600)
		for range n {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n{",
				path); err != nil {
				t.Fatal(err)
			}
		}
		if answer, err := key.Call(http.MethodGet, "/api/v1/orders", nil); err != nil || answer.Status != http.StatusOK {
			t.Errorf("beside them: %v %s", err, answer)
		}
	})
}

// Whatever a caller without a credential makes up, nothing of it stays: methods, channels, addresses, uploads.
func TestInventions(t *testing.T) {
	flood(t, harness.Options{Limits: true}, most, func(t *testing.T, s *harness.Server) {
		nobody, began := harness.Client{Base: s.Base}, time.Now()
		upload := bytes.Repeat([]byte("x"), 8<<20)
		refused := atOnce(24, func(i int) int {
			return status(nobody.Do(harness.Request{Method: http.MethodPost, Path: "/dashboard/setup",
				Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, Body: upload}))
		})
		if refused[http.StatusOK] != 0 {
			t.Errorf("uploads to the set-up page: %v", refused)
		}
		var looked atomic.Int64 // notifications that were not refused: their channels were looked for
		statuses := atOnce(16, func(i int) (last int) {
			for n := range scale(100, 2000) {
				name := fmt.Sprintf("M%dX%d", i, n) + strings.Repeat("Y", 8000)
				status(nobody.Do(harness.Request{Method: name, Path: "/api/v1/orders"}))
				last = status(nobody.Do(harness.Request{Method: http.MethodPost,
					Path: fmt.Sprintf("/api/v1/webhooks/platform/01900000-0000-7000-8000-%012d/shopify", i*1000000+n), Body: []byte("{}")}))
				if last != http.StatusTooManyRequests {
					looked.Add(1)
				}
			}
			return last
		})
		minutes := int64(time.Since(began)/time.Minute) + 2 // the first begins before the flood, the last ends after it
		if most := minutes * int64(accounts.Starter.Rate().PerMinute); looked.Load() > most || statuses[http.StatusTooManyRequests] == 0 {
			t.Errorf("%d notifications for channels that are not there were looked at, at most %d of an address: %v in the end", looked.Load(),
				most, statuses)
		}
		metrics, err := nobody.Call(http.MethodGet, "/metrics", nil)
		if err != nil || len(metrics.Body) > 200<<10 || bytes.Contains(metrics.Body, []byte("M1X1")) {
			t.Errorf("/metrics has %d bytes, %v", len(metrics.Body), err)
		}
	})
}

// Pages of large orders, read by many, some of them slowly.
func TestLargePages(t *testing.T) {
	flood(t, harness.Options{}, most, func(t *testing.T, s *harness.Server) {
		key := s.FirstAccount(t).Key
		if answer, err := key.Call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true",
			`{"products":[{"sku":"L","name":"L","price":1}]}`); err != nil || answer.Status != http.StatusOK {
			t.Fatalf("%v %s", err, answer)
		}
		// Half of the text is noise, which no compression makes smaller.
		if made := atOnce(4, func(int) (got int) {
			noise := make([]byte, 560)
			for range 25 {
				var order strings.Builder
				order.WriteString(`{"customerName":"Large","items":[`)
				for i := range 500 {
					rand.Read(noise)
					fmt.Fprintf(&order, `%s{"sku":"L","quantity":1,"unitPrice":1,"metadata":{"text":"%s%s"}}`, ","[:min(i, 1)],
						base64.StdEncoding.EncodeToString(noise), strings.Repeat("x", 750))
				}
				order.WriteString("]}")
				if got = status(key.Do(harness.Request{Method: http.MethodPost, Path: "/api/v1/orders",
					Body: []byte(order.String())})); got != http.StatusCreated {
					return got
				}
			}
			return got
		}); made[http.StatusCreated] != 4 {
			t.Fatalf("making the orders: %v", made)
		}
		t.Logf("peak %d MB with the orders made", memory(t, s.PID(), "VmHWM"))
		one, err := key.Call(http.MethodGet, "/api/v1/orders?limit=100", nil)
		if err != nil || one.Status != http.StatusOK || bytes.Count(one.Body, []byte(`"unitPrice"`)) != 100*500 {
			t.Fatalf("a page: %v %d, %d bytes", err, one.Status, len(one.Body))
		}
		t.Logf("a page has %d MB; peak %d MB with one reader, %d of it now the process's own, %d the store's file", len(one.Body)>>20,
			memory(t, s.PID(), "VmHWM"),
			memory(t, s.PID(), "RssAnon"), memory(t, s.PID(), "RssFile"))
		slow := func(int) int {
			began := time.Now()
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
			if err != nil {
				return 0
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET /api/v1/orders?limit=100 HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n\r\n", key.Key)
			_ = conn.SetReadDeadline(time.Now().Add(5 * time.Minute))
			head := make([]byte, 12)
			if _, err := io.ReadFull(conn, head); err != nil {
				return 0
			}
			got, _ := strconv.Atoi(string(head[9:]))
			switch took := time.Since(began); {
			case got == http.StatusOK:
				time.Sleep(3 * time.Second) // and reads no further
			case got == http.StatusServiceUnavailable && took < wideWait:
				t.Errorf("a slow reader was refused after %s", took)
			}
			return got
		}
		quiet := s.Other(t).Key
		alone := time.Now() // what this machine takes for ten reads of the quiet account without the others
		for range 10 {
			if got := status(quiet.Call(http.MethodGet, "/api/v1/orders", nil)); got != http.StatusOK {
				t.Fatalf("a read of the quiet account, alone: %d", got)
			}
		}
		longest := max(2*time.Second, 10*time.Since(alone))
		ended := make(chan struct{})
		var times []time.Duration // of the quiet account's reads while another account has slow ones
		refused := 0
		var beside sync.WaitGroup
		beside.Go(func() {
			for {
				began := time.Now()
				got := status(quiet.Call(http.MethodGet, "/api/v1/orders", nil))
				times = append(times, time.Since(began))
				if got != http.StatusOK && (got != http.StatusServiceUnavailable || time.Since(began) < leastWait) {
					refused++
				}
				select {
				case <-ended:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		})
		readers := scale(16, 100)
		statuses := atOnce(readers, slow)
		close(ended)
		beside.Wait()
		slices.Sort(times)
		t.Logf("a quiet account beside them: %d reads, %d refused, p99 %s", len(times), refused, times[len(times)*99/100])
		if refused > 0 || times[len(times)/2] > longest {
			t.Errorf("the quiet account: %d of %d reads refused, half of them took %s or more", refused, len(times), times[len(times)/2])
		}
		t.Logf("slow readers: %v", statuses)
		if statuses[http.StatusOK] < 2 || statuses[http.StatusOK]+statuses[http.StatusServiceUnavailable] != readers {
			t.Errorf("slow readers: %v, want 200, or 503 after a wait of %s", statuses, wideWait)
		}
	})
}

// Ordinary work of 64 callers at once, alone and beside bulk updates: no request is refused, and the process stays small.
func TestOrdinaryClients(t *testing.T) {
	flood(t, harness.Options{}, most, func(t *testing.T, s *harness.Server) {
		key := s.FirstAccount(t).Key
		var updates strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&updates, `,{"sku":"S-%d","quantity":%d}`, i, i)
		}
		if answer, err := key.Call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true",
			`{"products":[{"sku":"S-1","name":"S","price":1}]}`); err != nil || answer.Status != http.StatusOK {
			t.Fatalf("%v %s", err, answer)
		}
		work := func(int) int {
			for range scale(20, 100) {
				if got := status(key.Call(http.MethodPost, "/api/v1/orders",
					`{"customerName":"A","items":[{"sku":"S-1","quantity":1,"unitPrice":2}]}`)); got != http.StatusCreated {
					return got
				}
				if got := status(key.Call(http.MethodGet, "/api/v1/orders?limit=50", nil)); got != http.StatusOK {
					return got
				}
			}
			return http.StatusOK
		}
		statuses := atOnce(64, work)
		if statuses[http.StatusOK] != 64 {
			t.Errorf("statuses %v, want 200 and 201 only", statuses)
		}
		if peak := memory(t, s.PID(), "VmHWM"); peak > 300 {
			t.Errorf("64 ordinary clients took %d MB, allowed are 300", peak)
		}
		var updated map[int]int
		var beside sync.WaitGroup
		beside.Go(func() {
			updated = atOnce(32, func(int) int {
				return status(key.Call(http.MethodPatch, "/api/v1/sdk/inventory/bulk-update", `{"updates":[`+updates.String()[1:]+`]}`))
			})
		})
		statuses = atOnce(64, work)
		beside.Wait()
		if statuses[http.StatusOK] != 64 || updated[http.StatusOK] != 32 {
			t.Errorf("64 clients %v beside 32 bulk updates of 5,000 items %v, want 200 only", statuses, updated)
		}
		if peak := memory(t, s.PID(), "VmHWM"); peak > 300 {
			t.Errorf("64 ordinary clients beside 32 bulk updates took %d MB, allowed are 300", peak)
		}
	})
}

// Many bulk imports of the largest size at once: they wait for memory. On a machine that takes long for each, the last
// ones are refused.
func TestBulkBodies(t *testing.T) {
	flood(t, harness.Options{}, most, func(t *testing.T, s *harness.Server) {
		key := s.FirstAccount(t).Key
		description := strings.Repeat("x", 9_800)
		var products strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&products, `,{"sku":"B-%d","name":"B","price":1,"description":"%s"}`, i, description)
		}
		body := []byte(`{"products":[` + products.String()[1:] + `]}`)
		statuses := atOnce(32, func(int) int {
			began := time.Now()
			got := status(key.Do(harness.Request{Method: http.MethodPost, Path: "/api/v1/sdk/products/bulk-import?wait=true", Body: body}))
			if took := time.Since(began); got == http.StatusServiceUnavailable && took < bodyWait {
				t.Errorf("an import was refused after %s", took)
			}
			return got
		})
		t.Logf("imports of %d KB: %v", len(body)>>10, statuses)
		if statuses[http.StatusOK] < 2 || statuses[http.StatusOK]+statuses[http.StatusServiceUnavailable] != 32 {
			t.Errorf("imports: %v, want 200, or 503 after a wait", statuses)
		}
	})
}
