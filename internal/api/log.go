package api

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// logRequest writes the log line of a request, if it gets one. It names a caller by address and credential only: no query, no body,
// and no part of the path that looks like an e-mail address.
func (a *API) logRequest(r *request, out answer, took time.Duration) {
	level := slog.LevelInfo
	if out.status >= 500 && out.status != http.StatusServiceUnavailable {
		level = slog.LevelError
	}
	if !a.Log.Enabled(r.ctx(), level) || !a.AccessLog.Shows(out.status) {
		return
	}
	left := 0
	if out.status == http.StatusTooManyRequests || out.status == http.StatusServiceUnavailable {
		var shown bool
		if shown, left = a.refusals.take(time.Now()); !shown {
			return
		}
	}
	list := []slog.Attr{slog.String("id", r.id), slog.String("method", clip(r.http.Method, 32)), slog.String("path", shownPath(r.http)),
		slog.Int("status", out.status), slog.Int64("bytes", out.sent()), slog.Float64("took_ms", float64(took.Microseconds())/1000),
		slog.String("actor", r.caller.Actor()), slog.String("client", a.Proxies.Client(r.http))}
	if left > 0 {
		list = append(list, slog.Int("refused_unlogged", left))
	}
	a.Log.LogAttrs(r.ctx(), level, "request", list...)
}

// shownPath is a request's path for the log: cut, and without e-mail addresses and the signature of a link.
func shownPath(r *http.Request) string {
	path := clip(strings.ToValidUTF8(r.URL.Path, "\uFFFD"), 256)
	if before, _, linked := strings.Cut(path, "/file/"); linked && strings.HasPrefix(path, "/api/v1/exports/") {
		path = before + "/file/***"
	}
	if !strings.Contains(path, "@") {
		return path
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if strings.Contains(part, "@") {
			parts[i] = "***"
		}
	}
	return strings.Join(parts, "/")
}

// clip cuts a text to so many bytes, and marks the cut.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// sampler passes some events of each second and counts the others.
type sampler struct {
	mu     sync.Mutex
	second int64
	shown  int
	left   int
}

// samplesPerSecond is how many refusals a second are logged one by one.
const samplesPerSecond = 10

// take reports whether to show this event, and if so, how many were left out since the last one shown.
func (s *sampler) take(now time.Time) (shown bool, left int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := now.Unix(); at != s.second {
		s.second, s.shown = at, 0
	}
	if s.shown == samplesPerSecond {
		s.left++
		return false, 0
	}
	s.shown++
	left, s.left = s.left, 0
	return true, left
}
