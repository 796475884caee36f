package worker

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// Each way in which an attempt can fail has a reason of its own, taken from the real outcome of such an attempt.
func TestReasons(t *testing.T) {
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	s := newShop(t, store)
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/bug":
			w.WriteHeader(http.StatusBadGateway)
		case "/odd":
			w.WriteHeader(799)
		case "/switched": // and the connection stays open
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { conn.Close() })
			fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n")
		case "/cut":
			panic(http.ErrAbortHandler)
		}
	}))
	defer answers.Close()
	selfSigned := httptest.NewTLSServer(http.NotFoundHandler())
	defer selfSigned.Close()
	selfSigned.Config.ErrorLog = answers.Config.ErrorLog
	plain := strings.Replace(answers.URL, "http:", "https:", 1)
	endpoints := map[string]*webhooks.Endpoint{}
	want := map[string]webhooks.Reason{answers.URL + "/": webhooks.ReasonDelivered, answers.URL + "/redirect": webhooks.ReasonRedirect,
		answers.URL + "/gone": webhooks.ReasonClientError, answers.URL + "/bug": webhooks.ReasonServerError,
		answers.URL + "/odd": webhooks.ReasonOddAnswer, answers.URL + "/switched": webhooks.ReasonOddAnswer,
		answers.URL + "/cut": webhooks.ReasonBroken,
		selfSigned.URL:       webhooks.ReasonTLS, plain: webhooks.ReasonTLS, closedPort(t): webhooks.ReasonNoConnect,
		"http://nowhere.invalid/": webhooks.ReasonNoHost}
	for url := range want {
		endpoints[url], _ = s.endpoint(url)
	}
	w := s.start(func(c *Config) { c.Retries = webhooks.Schedule{} })
	s.emit(1, each)
	wantReason := func(url string, reason webhooks.Reason) {
		t.Helper()
		e := endpoints[url]
		dbtest.Until(t, "an attempt at "+url, func() bool {
			c := s.counts0(e)
			return c.Pending == 0 && c != webhooks.Counts{}
		})
		_, tries := s.deliveries(e)
		if got := tries[0][0].Reason(); got != reason {
			t.Errorf("%s: %s, not %s: %+v", url, got, reason, tries[0][0])
		}
	}
	for url, reason := range want {
		wantReason(url, reason)
	}
	s.stop(w)
	private := "http://127.0.0.1:1/"
	endpoints[private], _ = s.endpoint(private)
	s.start(func(c *Config) { c.Retries, c.Guard = webhooks.Schedule{}, &netguard.Guard{} })
	s.emit(1, each)
	wantReason(private, webhooks.ReasonForbidden)
	for text, reason := range map[string]webhooks.Reason{webhooks.ErrorTimeout: webhooks.ReasonTimeout,
		webhooks.ErrorExpired: webhooks.ReasonExpired, webhooks.ErrorUnsigned: webhooks.ReasonUnsigned,
		webhooks.ErrorUnreadable:                                 webhooks.ReasonUnreadable,
		netguard.Plain(&net.OpError{Op: "dial", Err: timeout{}}): webhooks.ReasonTimeout} {
		if got := (&webhooks.Attempt{Error: text}).Reason(); got != reason {
			t.Errorf("%s: %s, not %s", text, got, reason)
		}
	}
	for _, reason := range webhooks.Reasons {
		if e := reason.Explain(); !strings.HasSuffix(e.What, ".") || !strings.HasSuffix(e.Advice, ".") {
			t.Errorf("%s: %+v", reason, e)
		}
	}
}

// timeout is an error of the network that says that it took too long.
type timeout struct{}

func (timeout) Error() string   { return "i/o timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

// The headers of a request that people are shown are the headers that were sent, except for signatures.
func TestShownHeadersAreThoseSent(t *testing.T) {
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	s, rc := newShop(t, store), newReceiver(t)
	e, _ := s.endpoint(rc.URL + "/hook")
	s.start()
	s.emit(1, each)
	dbtest.Until(t, "the delivery", func() bool { return s.counts0(e).Delivered == 1 })
	list, tries := s.deliveries(e)
	got := rc.on("/hook")[0].header.Clone()
	sent := webhooks.Sent{Event: list[0].Event, Name: list[0].Name, At: time.UnixMicro(tries[0][0].At), Number: 1, Version: "test"}
	for _, h := range sent.Headers() {
		if got.Get(h.Name) != h.Value {
			t.Errorf("%s: shown %q, sent %q", h.Name, h.Value, got.Get(h.Name))
		}
		got.Del(h.Name)
	}
	for _, name := range []string{"X-Webhook-Signature", "Webhook-Signature", "Content-Length", "Accept-Encoding"} {
		got.Del(name)
	}
	if len(got) != 0 {
		t.Errorf("not shown: %v", got)
	}
}

// The names of Standard Webhooks are written in lower case, as they are defined, for receivers that compare them with case.
func TestStandardWebhooksHeadersAreLowerCase(t *testing.T) {
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	s := newShop(t, store)
	lines := make(chan string, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		head := ""
		for in := bufio.NewReader(conn); !strings.HasSuffix(head, "\r\n\r\n"); {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			head += line
		}
		lines <- head
		io.WriteString(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	}()
	s.endpoint("http://" + listener.Addr().String() + "/hook")
	s.start()
	s.emit(1, each)
	select {
	case head := <-lines:
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature", "X-Webhook-Signature", "X-Webhook-Id"} {
			if !strings.Contains(head, "\r\n"+name+": ") {
				t.Errorf("no %s in\n%s", name, head)
			}
		}
	case <-time.After(dbtest.Timeout):
		t.Fatal("nothing was sent")
	}
}
