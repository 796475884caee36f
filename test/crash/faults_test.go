package crash

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

// inject lets a system call of a process fail until the function it gives is called. It skips the test where strace is not there or
// may not look at processes.
func inject(t *testing.T, pid int, call, fault string) (end func()) {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skipf("faults of the disk are injected with strace: %v", err)
	}
	var said bytes.Buffer
	tracer := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace="+call, "-e", "inject="+call+":error="+fault, "-p",
		fmt.Sprint(pid))
	tracer.Stderr = &said
	if err := tracer.Start(); err != nil {
		t.Skipf("strace does not start: %v", err)
	}
	ended := make(chan struct{})
	go func() { _ = tracer.Wait(); close(ended) }()
	dbtest.Until(t, "strace traces the process, or ends because it may not", func() bool {
		select {
		case <-ended:
			t.Skipf("strace may not trace here: %s", said.String())
		default:
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		return err == nil && !bytes.Contains(status, []byte("TracerPid:\t0\n"))
	})
	end = func() {
		_ = tracer.Process.Signal(syscall.SIGINT)
		<-ended
	}
	t.Cleanup(end)
	return end
}

// A disk that is full, fails, or accepts no more writes: nothing that was acknowledged is lost, a write that is not
// stored is answered 503 with Retry-After, reads continue, /readyz reports it, and the service recovers afterwards. A
// disk that refuses to sync ends the process, and a new one continues.
func TestDiskFaults(t *testing.T) {
	for _, fault := range []struct {
		name, call, err string
		codes           string
		ends            bool
	}{
		{"full", "pwrite64", "ENOSPC", "unavailable", false},
		{"read-only", "pwrite64", "EROFS", "unavailable outcome_unknown", false},
		{"failing", "pwrite64", "EIO", "unavailable outcome_unknown", false},
		{"refuses to sync", "fdatasync", "EIO", "unavailable outcome_unknown", true},
	} {
		t.Run(fault.name, func(t *testing.T) {
			server := harness.Start(t, harness.SQLite, harness.Options{})
			key := server.FirstAccount(t).Key
			sent := 0
			order := func() (harness.Answer, error) { return orderOf(key, sent) }
			made := map[string]bool{}
			store := func() {
				t.Helper()
				answer, err := order()
				if err != nil || answer.Status != http.StatusCreated {
					t.Fatalf("order %d: %v %s", sent, err, answer)
				}
				made[answer.Text("data", "id")] = true
				sent++
			}
			if answer, err := key.Call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true",
				`{"products":[{"sku":"F","name":"F","price":1}]}`); err != nil || answer.Status != http.StatusOK {
				t.Fatalf("%v %s", err, answer)
			}
			for range 20 {
				store()
			}
			end := inject(t, server.PID(), fault.call, fault.err)
			var refused harness.Answer
			var err error
			dbtest.Until(t, "an order is refused", func() bool {
				if refused, err = order(); err == nil && refused.Status == http.StatusCreated { // before strace was there
					made[refused.Text("data", "id")] = true
					sent++
				}
				return err != nil || refused.Status != http.StatusCreated
			})
			if err == nil && (refused.Status != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") == "" ||
				!strings.Contains(fault.codes, refused.Text("code"))) {
				t.Errorf("the order: %s, Retry-After %q, want 503 with one of %s", refused, refused.Header.Get("Retry-After"), fault.codes)
			}
			if fault.ends {
				dbtest.Until(t, "the process ends", func() bool { return !server.Running() })
				end()
				server.Launch()
			} else {
				ready, err := harness.Client{Base: server.Base}.Call(http.MethodGet, "/readyz", nil)
				if err != nil || ready.Status != http.StatusServiceUnavailable || ready.Header.Get("Retry-After") == "" {
					t.Errorf("/readyz: %v %s", err, ready)
				}
				if list, err := key.Call(http.MethodGet, "/api/v1/orders", nil); err != nil || list.Status != http.StatusOK {
					t.Errorf("a read: %v %s", err, list)
				}
				end()
				dbtest.Until(t, "the service is ready again", func() bool {
					ready, err := harness.Client{Base: server.Base}.Call(http.MethodGet, "/readyz", nil)
					return err == nil && ready.Status == http.StatusOK
				})
			}
			for range 3 { // the refused order first, with its Idempotency-Key
				store()
			}
			found := allOrders(t, key)
			for id := range made {
				if _, there := found[id]; !there {
					t.Errorf("order %s was acknowledged and is lost", id)
				}
			}
			if len(found) != len(made) {
				t.Errorf("%d orders are stored, %d were acknowledged", len(found), len(made))
			}
			if said, err := server.Command("verify"); err != nil {
				t.Errorf("verify: %v\n%s", err, said)
			}
		})
	}
}

// orderOf sends an order with a reference and a key of its own.
func orderOf(client harness.Client, number int) (harness.Answer, error) {
	return client.Do(harness.Request{Method: http.MethodPost, Path: "/api/v1/orders",
		Header: http.Header{"Idempotency-Key": {fmt.Sprint("fault-", number)}},
		Body:   fmt.Appendf(nil, `{"customerName":"F","externalReference":"F-%d","items":[{"sku":"F","quantity":1,"unitPrice":1}]}`, number)})
}
