package worker

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// logged is a log that may be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// An endpoint that fails has one line a minute in the log, which counts the attempts; the debug level logs each
// attempt.
func TestFailuresAreSummedUpInTheLog(t *testing.T) {
	s := newShop(t, dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true}))
	to := newReceiver(t)
	to.answer = func(int, *http.Request) int { return 500 }
	bad, _ := s.endpoint(to.URL + "/bad")
	log := &logged{}
	s.emit(30, func(i int) string { return fmt.Sprint(i) })
	w := s.start(func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	defer s.stop(w)
	for end := time.Now().Add(dbtest.Timeout); len(to.on("/bad")) < 30 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	for end := time.Now().Add(dbtest.Timeout); strings.Count(log.String(), "msg=attempt ") < 30 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	text := log.String()
	if got := strings.Count(text, `msg="attempts failed"`); got != 1 || !strings.Contains(text, string(bad.ID)) {
		t.Errorf("%d lines about the endpoint", got)
	}
	if strings.Count(text, "level=DEBUG msg=attempt ") < 30 || strings.Contains(text, "level=INFO msg=attempt ") {
		t.Errorf("single attempts: %.500s", text)
	}
}

func TestFailuresOfAMinuteAreOneLine(t *testing.T) {
	h, at := &health{}, time.UnixMicro(1_700_000_000_000_000)
	var lines []int64
	for range 130 {
		if n := h.fail(at); n > 0 {
			lines = append(lines, n)
		}
		at = at.Add(time.Second)
	}
	if fmt.Sprint(lines) != "[1 60 60]" {
		t.Error(lines)
	}
	if n := h.fail(at.Add(-24 * time.Hour)); n == 0 { // the clock was set back
		t.Error("no line until the clock has caught up")
	}
}
