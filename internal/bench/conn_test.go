package bench

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// scripted listens, reads one request after the other and answers each with
// the next of the given texts; what the last text leaves open it closes.
func scripted(t *testing.T, perConnection ...[]string) *conn {
	t.Helper()
	l, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for _, replies := range perConnection {
			n, err := l.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(n)
			for _, reply := range replies {
				r, err := http.ReadRequest(in)
				if err != nil {
					break
				}
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(n, reply)
			}
			n.Close()
		}
	}()
	target, err := newTarget(context.Background(), "http://"+l.Addr().String(), false)
	if err != nil {
		t.Fatal(err)
	}
	c := newConn(target, time.Now().Add(10*time.Second))
	t.Cleanup(c.close)
	return c
}

func TestAnswersAreReadWhole(t *testing.T) {
	const last = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlast" // shows that the one before was read to its end
	cases := []struct {
		name, reply string
		status      int
		body        string
		fails       string
	}{
		{"with a length", "HTTP/1.1 201 Created\r\nX-Any: 1\r\ncontent-length: 5\r\n\r\nhello", 201, "hello", ""},
		{"empty", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "", ""},
		{"in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n", 200,
			"hello world", ""},
		{"204 has no body", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", ""},
		{"304 has no body whatever it says", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, "", ""},
		{"an interim answer first", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", ""},
		{"without a reason phrase", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", 200, "ok", ""},
		{"bare line ends", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, "ok", ""},
		{"not HTTP", "SSH-2.0-OpenSSH\r\n\r\n", 0, "", "not an HTTP/1 answer"},
		{"a status of letters", "HTTP/1.1 2x0 OK\r\n\r\n", 0, "", "not a status code"},
		{"a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 0, "", "bad content length"},
		{"a header without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", 0, "", "without a colon"},
		{"a bad chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 0, "", "bad chunk size"},
		{"a chunk that is longer than it says", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n", 0, "",
			"does not end"},
	}
	for _, c := range cases {
		for _, keep := range []bool{true, false} {
			conn := scripted(t, []string{c.reply, last})
			a, err := conn.exchange(conn.target.head("GET", "/", "k"), nil, keep)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%s: error %v, want %q", c.name, err, c.fails)
				}
				continue
			}
			if err != nil || a.status != c.status || keep && string(a.body) != c.body {
				t.Errorf("%s (keep %v): status %d body %q error %v", c.name, keep, a.status, a.body, err)
				continue
			}
			if a, err = conn.exchange(conn.target.head("GET", "/", "k"), nil, true); err != nil || string(a.body) != "last" {
				t.Errorf("%s (keep %v): the next answer is %q, %v", c.name, keep, a.body, err)
			}
		}
	}
}

func TestConnectionIsOpenedAgain(t *testing.T) {
	c := scripted(t,
		[]string{"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\none"},
		[]string{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\ncut"}, // ends in the middle
		[]string{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthree"})
	get := func() (answer, error) { return c.exchange(c.target.head("GET", "/", ""), nil, true) }
	if a, err := get(); err != nil || string(a.body) != "one" {
		t.Fatal(a, err)
	}
	if _, err := get(); err == nil {
		t.Fatal("half an answer was taken for a whole one")
	}
	if a, err := get(); err != nil || string(a.body) != "three" {
		t.Fatal(a, err)
	}
}

func TestBodiesOfEverySizeArrive(t *testing.T) {
	for _, size := range []int{0, 1, copyBelow - 1, copyBelow, 3 << 20} {
		arrived := make(chan int64, 1)
		l, err := listenLoopback("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got, _ := io.Copy(io.Discard, r.Body)
			arrived <- got
			if r.ContentLength != int64(size) {
				t.Errorf("announced %d of %d bytes", r.ContentLength, size)
			}
		})}
		go func() { _ = server.Serve(l) }()
		target, err := newTarget(context.Background(), "http://"+l.Addr().String(), false)
		if err != nil {
			t.Fatal(err)
		}
		c := newConn(target, time.Now().Add(10*time.Second))
		for range 2 {
			a, err := c.exchange(target.head("POST", "/", "k"), make([]byte, size), false)
			if got := <-arrived; err != nil || a.status != 200 || got != int64(size) {
				t.Errorf("%d bytes: %d arrived, %v", size, got, err)
			}
		}
		c.close()
		server.Close()
	}
}
