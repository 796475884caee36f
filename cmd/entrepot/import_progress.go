package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"entrepot/internal/importer"
	"entrepot/internal/importer/client"
)

// importProgress shows how far an import is, how long it will take, and what it waits for: on a terminal in one line
// that is updated every second, elsewhere in a line every ten seconds.
type importProgress struct {
	w        io.Writer
	terminal bool
	now      func() time.Time

	mu        sync.Mutex
	last      importer.Progress
	begun     time.Time // when the first item was settled
	from      importer.Progress
	waitUntil time.Time
	waitFor   string
	shown     string
}

// newImportProgress starts the display; stop ends it and clears its line, and may be called twice.
func newImportProgress(w io.Writer) (p *importProgress, stop func()) {
	p = &importProgress{w: w, terminal: isTerminal(w), now: time.Now}
	pause := 10 * time.Second
	if p.terminal {
		pause = time.Second
	}
	ticker, done := time.NewTicker(pause), make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() {
		for {
			select {
			case <-ticker.C:
				p.show()
			case <-done:
				return
			}
		}
	})
	return p, sync.OnceFunc(func() {
		ticker.Stop()
		close(done)
		showing.Wait()
		p.clear()
	})
}

// settled receives the progress of the import.
func (p *importProgress) settled(now importer.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Doing == "" && p.begun.IsZero() {
		p.begun, p.from = p.now(), now
	}
	p.last = now
}

// waiting receives why and how long a request waits before it is repeated.
func (p *importProgress) waiting(wait time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := p.now().Add(wait)
	if wait < time.Second || until.Before(p.waitUntil) {
		return
	}
	p.waitUntil, p.waitFor = until, waitReason(err)
}

// waitReason describes a network error.
func waitReason(err error) string {
	refused, ok := errors.AsType[*client.Error](err)
	switch {
	case ok && refused.StatusCode == http.StatusTooManyRequests:
		return "for the service's rate limit"
	case ok && refused.StatusCode == http.StatusServiceUnavailable:
		return "because the service is busy or restarting"
	case ok:
		return fmt.Sprintf("because the service answered %v", err)
	}
	return fmt.Sprintf("because the service cannot be reached: %v", err)
}

func (p *importProgress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := p.line()
	switch {
	case line == "":
	case p.terminal:
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
		p.shown = line
	case line != p.shown:
		fmt.Fprintln(p.w, line)
		p.shown = line
	}
}

func (p *importProgress) clear() {
	if p.terminal && p.shown != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// line describes the present state: "12,000 of 245,903 rows, 610 of 12,053 orders, about 2 min left; waiting 43 s for
// the service's rate limit".
func (p *importProgress) line() string {
	var parts []string
	switch l := p.last; {
	case l.Doing != "":
		parts = append(parts, l.Doing)
	case p.begun.IsZero():
	default:
		if l.TotalRows > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s rows", grouped(l.Rows), grouped(l.TotalRows)))
		} else {
			parts = append(parts, fmt.Sprintf("%s rows, %d %% of the file", grouped(l.Rows), 100*l.Bytes/max(1, l.TotalBytes)))
		}
		if l.TotalItems > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s orders", grouped(l.Items), grouped(l.TotalItems)))
		}
		if left := p.left(); left > 0 {
			parts = append(parts, "about "+spoken(left)+" left")
		}
	}
	line := strings.Join(parts, ", ")
	if wait := p.waitUntil.Sub(p.now()); wait > 0 {
		if line != "" {
			line += "; "
		}
		line += "waiting " + spoken(wait) + " " + p.waitFor
	}
	return line
}

// left is the estimated remaining time at the speed so far, pauses included; 0 if unknown.
func (p *importProgress) left() time.Duration {
	done, rest := int64(p.last.Rows-p.from.Rows), int64(p.last.TotalRows-p.last.Rows)
	if p.last.TotalRows == 0 {
		done, rest = p.last.Bytes-p.from.Bytes, p.last.TotalBytes-p.last.Bytes
	}
	elapsed := p.now().Sub(p.begun)
	if done <= 0 || rest <= 0 || elapsed < 2*time.Second {
		return 0
	}
	return time.Duration(float64(elapsed) / float64(done) * float64(rest))
}

// spoken is a duration in words: 43 s, 2 min 10 s, 3 h 5 min.
func spoken(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	switch {
	case seconds < 60:
		return fmt.Sprintf("%d s", max(1, seconds))
	case seconds < 3600 && seconds%60 == 0:
		return fmt.Sprintf("%d min", seconds/60)
	case seconds < 3600:
		return fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d h %d min", seconds/3600, seconds%3600/60)
}

// grouped writes a number with thousands separators: 245,903.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// waitNotice reports long waits, at most once every ten seconds, because several requests wait at once.
func waitNotice(w io.Writer) func(time.Duration, error) {
	var mu sync.Mutex
	var last time.Time
	return func(wait time.Duration, err error) {
		mu.Lock()
		defer mu.Unlock()
		if wait >= 2*time.Second && time.Since(last) > 10*time.Second {
			last = time.Now()
			fmt.Fprintf(w, "waiting %s %s\n", spoken(wait), waitReason(err))
		}
	}
}
