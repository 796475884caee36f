package accesslog_test

import (
	"strings"
	"testing"

	"entrepot/internal/base/accesslog"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]float64{"on": 1, "off": 0, "0.01": 0.01, "1": 1, "1e-3": 0.001} {
		if got, err := accesslog.Parse(text); err != nil || got != want {
			t.Errorf("%s: %g %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.1", "NaN", "Inf", "yes", "1%"} {
		if _, err := accesslog.Parse(text); err == nil || !strings.Contains(err.Error(), "such as 0.01") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestShows(t *testing.T) {
	shown := func(s *accesslog.Share, status int) (n int) {
		for range 2000 {
			if s.Shows(status) {
				n++
			}
		}
		return n
	}
	s := accesslog.New(0)
	for status, want := range map[int]int{200: 0, 404: 0, 503: 0, 500: 2000, 502: 2000} {
		if n := shown(s, status); n != want {
			t.Errorf("off, status %d: %d of 2000", status, n)
		}
	}
	s.Set(0.5)
	if n := shown(s, 200); n < 800 || n > 1200 {
		t.Errorf("half: %d of 2000", n)
	}
	s.Set(1)
	if shown(s, 200) != 2000 || shown(nil, 200) != 2000 {
		t.Error("on: a request without a line")
	}
}
