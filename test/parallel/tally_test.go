package parallel

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"entrepot/test/blackbox/harness"
)

// tally counts what was answered, by operation, and what must not be, by kind.
type tally struct {
	mu         sync.Mutex
	operations map[string]*count
	defects    map[string]*defect
}

type count struct {
	statuses map[int]int
	took     []time.Duration
}

type defect struct {
	times   int
	samples []string
}

// leastWait is how long the service waits for a connection before it answers 503 (interface §7); for a lock it waits longer. Where answers
// may take as long as the machine makes them, this may be one.
const leastWait = 2 * time.Second

// send sends one request and counts its answer: no answer at all, a 5xx and a slow answer are errors for every request.
func (s *shop) send(operation string, by harness.Client, request harness.Request) (harness.Answer, bool) {
	began := time.Now()
	answer, err := by.Do(request)
	took := time.Since(began)
	s.tally.mu.Lock()
	if s.tally.operations == nil {
		s.tally.operations = map[string]*count{}
	}
	c := s.tally.operations[operation]
	if c == nil {
		c = &count{statuses: map[int]int{}}
		s.tally.operations[operation] = c
	}
	c.statuses[answer.Status]++
	c.took = append(c.took, took)
	s.tally.mu.Unlock()
	at := func() string { return began.Format("15:04:05.000") }
	switch {
	case err != nil:
		s.defect("no answer", "%s %s: %v after %s", at(), operation, err, took)
	case answer.Status == http.StatusServiceUnavailable && took >= leastWait && *slowest > leastWait:
	case answer.Status >= 500:
		s.defect("5xx", "%s %s after %s: %s", at(), operation, took, answer)
	}
	if took > *slowest {
		s.defect("slow answer", "%s %s: %s", at(), operation, took)
	}
	return answer, err == nil && answer.Status/100 == 2
}

// get reads with the account's key from the first node.
func (s *shop) get(operation, path string) (harness.Answer, bool) {
	return s.send(operation, s.account.Key, harness.Request{Method: http.MethodGet, Path: path})
}

// error counts something that must not be.
func (s *shop) defect(kind, format string, args ...any) {
	s.tally.mu.Lock()
	defer s.tally.mu.Unlock()
	if s.tally.defects == nil {
		s.tally.defects = map[string]*defect{}
	}
	f := s.tally.defects[kind]
	if f == nil {
		f = &defect{}
		s.tally.defects[kind] = f
	}
	if f.times++; len(f.samples) < 12 {
		f.samples = append(f.samples, fmt.Sprintf(format, args...))
	}
}

// report prints the answers by operation, and fails the test with every kind of error.
func (s *shop) report() {
	s.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%-44s %7s %7s %8s %8s %8s  %s\n", "operation", "all", "2xx", "p50 ms", "p99 ms", "max ms", "refused")
	names := slices.Sorted(maps.Keys(s.tally.operations))
	all, total, worst := 0, 0, time.Duration(0)
	for _, name := range names {
		c := s.tally.operations[name]
		slices.Sort(c.took)
		n, good, refused := len(c.took), 0, ""
		for _, status := range slices.Sorted(maps.Keys(c.statuses)) {
			if status/100 == 2 {
				good += c.statuses[status]
			} else {
				refused += fmt.Sprintf(" %d×%d", c.statuses[status], status)
			}
		}
		total, all, worst = total+good, all+n, max(worst, c.took[n-1])
		ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		fmt.Fprintf(&b, "%-44s %7d %7d %8.1f %8.1f %8.1f %s\n", name, n, good, ms(c.took[n/2]), ms(c.took[n*99/100]), ms(c.took[n-1]), refused)
		if good == 0 && *duration >= 30*time.Second {
			s.t.Errorf("%s never succeeded", name)
		}
	}
	s.t.Logf("%s, seed %d: %d answers, %d of them 2xx, the slowest %s\n%s", s.engine, *seed, all, total, worst, b.String())
	for _, kind := range slices.Sorted(maps.Keys(s.tally.defects)) {
		f := s.tally.defects[kind]
		s.t.Errorf("%d × %s:\n  %s", f.times, kind, strings.Join(f.samples, "\n  "))
	}
}
