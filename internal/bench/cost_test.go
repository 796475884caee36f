package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/dbtest"
)

// The processor time that one request costs the client, for this package's own connection and for the standard
// library's client. The server is a process of its own (this test binary again), so that its cost is not counted:
func BenchmarkClientCost(b *testing.B) {
	address := startTrivialServer(b)
	for _, procs := range []int{1, 2} {
		for _, clients := range []int{1, 32} {
			for _, kind := range []string{"own", "standard"} {
				b.Run(fmt.Sprintf("%s/%d-clients/%d-procs", kind, clients, procs), func(b *testing.B) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
					clientCost(b, kind, clients, address)
				})
			}
		}
	}
}

func clientCost(b *testing.B, kind string, clients int, address string) {
	body := bytes.Repeat([]byte("x"), 600) // about an order
	each := b.N/clients + 1
	var group sync.WaitGroup
	before := ownCPU()
	start := time.Now()
	for range clients {
		group.Go(func() {
			send := ownExchange(b, address, body)
			if kind == "standard" {
				send = standardExchange(b, address, body)
			}
			for range each {
				send()
			}
		})
	}
	group.Wait()
	done := float64(each * clients)
	b.ReportMetric(float64((ownCPU()-before).Nanoseconds())/1e3/done, "cpu-µs/request")
	b.ReportMetric(done/time.Since(start).Seconds(), "requests/s")
}

func ownExchange(b *testing.B, address string, body []byte) func() {
	t, err := newTarget(context.Background(), address, false)
	if err != nil {
		b.Fatal(err)
	}
	c := newConn(t, time.Now().Add(time.Minute))
	head := t.head("POST", "/api/v1/orders", "pk_live_0123456789")
	return func() {
		if a, err := c.exchange(head, body, false); err != nil || a.status != 201 {
			b.Errorf("%v %v", a, err)
		}
	}
}

func standardExchange(b *testing.B, address string, body []byte) func() {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true}}
	reader := bytes.NewReader(body)
	return func() {
		reader.Reset(body)
		r, _ := http.NewRequest("POST", address+"/api/v1/orders", reader)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-API-Key", "pk_live_0123456789")
		a, err := client.Do(r)
		if err != nil {
			b.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, a.Body)
		a.Body.Close()
	}
}

// trivialServerVariable makes this test binary serve instead of test.
const trivialServerVariable = "LOAD_TEST_TRIVIAL_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(trivialServerVariable) != "" {
		serveTrivially()
		return
	}
	if os.Getenv(healthyVariable) != "" {
		serveHealthily()
		return
	}
	dbtest.Main(m)
}

// serveTrivially answers every request with 700 bytes until its standard input
// closes.
func serveTrivially() {
	l, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http://" + l.Addr().String())
	reply := []byte("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nX-Request-Id: 0198\r\nX-RateLimit-Limit: 2000\r\n" +
		"X-RateLimit-Remaining: 1999\r\nX-RateLimit-Reset: 1760000000\r\nContent-Length: 700\r\n\r\n" + strings.Repeat("y", 700))
	go func() {
		for {
			n, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer n.Close()
				r := bufio.NewReader(n)
				for {
					if _, err := readLine(r); err != nil {
						return
					}
					f, err := readHeader(r, nil)
					if err != nil {
						return
					}
					if _, _, err := readBody(r, f, nil, false); err != nil {
						return
					}
					if _, err := n.Write(reply); err != nil {
						return
					}
				}
			}()
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func startTrivialServer(b *testing.B) string {
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), trivialServerVariable+"=1")
	stdin, err := server.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { stdin.Close(); _ = server.Wait() })
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(address)
}
