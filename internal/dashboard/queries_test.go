package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/db"
)

// Bounds of what a page asks the store, its session included. Reads that travel together are one message; a page with more statements
// than the second bound reads one for each row.
const (
	maxMessages   = 8
	maxStatements = 40
)

// reads counts what a store is asked.
type reads struct {
	mu       sync.Mutex
	messages []int // statements in each message
	texts    []string
}

func (c *reads) sent(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages = append(c.messages, n)
}

func (c *reads) trace(sql string, _ []any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts = append(c.texts, strings.Join(strings.Fields(sql), " "))
}

// take gives what was counted since it was called last.
func (c *reads) take() (messages []int, texts []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	messages, texts = c.messages, c.texts
	c.messages, c.texts = nil, nil
	return messages, texts
}

// Every page reads in few messages, however much is on it: on PostgreSQL each costs a round trip. The table is in the test's output (-v).
func TestPagesReadInFewMessages(t *testing.T) {
	var count reads
	s := newSiteOn(t, "postgres", func(c *db.Config) { c.Sent, c.Trace = count.sent, count.trace })
	s.seed()
	b := s.as(s.owner)
	b.get("/settings/me") // writes when the session was used last
	var table []string
	for _, path := range s.pages() {
		count.take()
		out := b.get(path)
		messages, texts := count.take()
		table = append(table, fmt.Sprintf("%2d messages, %2d statements  %s", len(messages), len(texts), path))
		if out.status >= 400 && path != "/setup" { // there is an account already
			t.Errorf("%s: %d", path, out.status)
		}
		if len(messages) > maxMessages || len(texts) > maxStatements {
			t.Errorf("%s sends %d messages of reads, at most %d are wanted, with %d statements, at most %d:\n%s", path, len(messages),
				maxMessages, len(texts), maxStatements, strings.Join(texts, "\n"))
		}
	}
	slices.Sort(table)
	slices.Reverse(table)
	t.Log("\n" + strings.Join(table, "\n"))
}
