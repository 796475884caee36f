package ebay

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"entrepot/internal/connector"
)

// Bounds of the changes of a listing in a day: eBay takes 250, in whatever request. How it counts a listing with
// variants is unknown, so a count here never delays its stock: work that may wait leaves the last part to stock
// (decision 16).
const (
	contentChanges = 150 // after so many, products wait for the next day
	priceChanges   = 200 // after so many, prices wait, too
	counted        = 50_000
	keptFrom       = 25 // counts are stored from here on, as few listings have so many
	keptEach       = 5  // and once in so many
	keptMost       = 500
	refusedRest    = time.Hour // after a refusal, because when eBay's day ends is not known
)

// changesFact is the name of the fact with the counts of the day.
const changesFact = "changes"

// changes counts how often each listing was changed in a day of eBay.
type changes struct {
	mu     sync.Mutex
	counts *lru.Cache[string, count] // by channel and listing
}

type count struct {
	day, n  int64
	refused time.Time // until when eBay is not asked again, because it has refused a change
}

func newChanges() *changes {
	counts, err := lru.New[string, count](counted)
	if err != nil {
		panic(err) // only a size below 1
	}
	return &changes{counts: counts}
}

// eBaysZone is the zone of eBay's clock without its summer time: a pause ends an hour late in summer, and never
// early.
var eBaysZone = time.FixedZone("PST", -8*60*60)

// dayOf is the number of the day of a time, and when the next one begins.
func dayOf(at time.Time) (day int64, next time.Time) {
	y, m, d := at.In(eBaysZone).Date()
	begin := time.Date(y, m, d, 0, 0, 0, 0, eBaysZone)
	return begin.Unix() / (24 * 60 * 60), begin.AddDate(0, 0, 1)
}

// changesToday is the count of a listing. What other nodes have stored counts, too.
func (s *session) changesToday(listing string) count {
	day, _ := dayOf(s.link.Now())
	key := s.link.Channel.ID + "\n" + listing
	c, _ := s.connector.changes.counts.Get(key)
	if c.day != day {
		c = count{day: day}
	}
	c.n = max(c.n, s.storedChanges()[listing])
	return c
}

// storedChanges are the stored counts of today.
func (s *session) storedChanges() map[string]int64 {
	var stored struct {
		Day int64
		Of  map[string]int64
	}
	text := s.link.Facts.Fact(changesFact)
	if text == "" {
		return map[string]int64{}
	}
	day, _ := dayOf(s.link.Now())
	if json.Unmarshal([]byte(text), &stored) != nil || stored.Day != day || stored.Of == nil {
		return map[string]int64{}
	}
	return stored.Of
}

// changed counts a change of a listing; "" is one that is not on sale yet.
func (s *session) changed(listing string) {
	if listing == "" {
		return
	}
	s.connector.changes.mu.Lock()
	defer s.connector.changes.mu.Unlock()
	c := s.changesToday(listing)
	c.n++
	s.connector.changes.counts.Add(s.link.Channel.ID+"\n"+listing, c)
	if c.n < keptFrom || c.n%keptEach != 0 {
		return
	}
	of := s.storedChanges()
	if of[listing] = c.n; len(of) > keptMost {
		return
	}
	text, err := json.Marshal(map[string]any{"day": c.day, "of": of})
	if err == nil {
		s.link.Facts.Keep(changesFact, string(text))
	}
}

// rest is until when a change of a listing that may wait is left out, and why; ok is false if it need not be. most is
// how many changes a day may precede it.
func (s *session) rest(listing string, most int64) (until time.Time, why string, ok bool) {
	if listing == "" {
		return until, "", false
	}
	c := s.changesToday(listing)
	if until, why, ok = s.refused(c); ok || c.n < most {
		return until, why, ok
	}
	_, until = dayOf(s.link.Now())
	return until, fmt.Sprintf("eBay takes 250 changes of a listing a day, and this one has had %d: the others are kept for its stock, and "+
		"this goes on by itself at %s", c.n, clock(until)), true
}

// refused is rest for a listing of which eBay has refused a change today.
func (s *session) refused(c count) (until time.Time, why string, ok bool) {
	if !c.refused.After(s.link.Now()) {
		return until, "", false
	}
	return c.refused, fmt.Sprintf("eBay takes no more changes of this listing today, because it has had 250: it goes on by itself tomorrow; "+
		"the next try is at %s", clock(c.refused)), true
}

func clock(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// noteDay notes whether eBay has refused a change of a listing because of too many today, and until when the listing
// pauses.
func (s *session) noteDay(listing string, f *connector.Failure) (until time.Time, why string, ok bool) {
	if f == nil || listing == "" || !tooManyChanges.MatchString(f.Message) {
		return until, "", false
	}
	s.connector.changes.mu.Lock()
	defer s.connector.changes.mu.Unlock()
	c := s.changesToday(listing)
	_, tomorrow := dayOf(s.link.Now())
	c.refused = s.link.Now().Add(refusedRest)
	if tomorrow.Before(c.refused) {
		c.refused = tomorrow
	}
	s.connector.changes.counts.Add(s.link.Channel.ID+"\n"+listing, c)
	return s.refused(c)
}

// tooManyChanges are words of such a refusal. Its code is not documented.
var tooManyChanges = regexp.MustCompile(
	`(?i)\brevis\w*\b.*\b(250|too many|today|a day|per day|calendar day)\b|\b(250|too many|limit of|number of|daily)\b.*\brevis`)

// same reports whether a value to be written is there already: eBay would count the write as a change.
func same(body, there fields, but ...string) bool {
	if len(there) == 0 {
		return false
	}
	a, errA := json.Marshal(without(body, but...))
	b, errB := json.Marshal(without(there, but...))
	return errA == nil && errB == nil && slices.Equal(a, b)
}
