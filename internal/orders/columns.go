package orders

import (
	"slices"
	"sync/atomic"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// No index has every pair of conditions of a list, nor each condition in the order of each sort. Of accounts whose lists would look at very
// many orders for that, a node keeps in memory by what orders are filtered and sorted, as columns, and looks through these: a million
// orders in some milliseconds. Orders that were created or changed since the columns were made are found in the event log, and read as
// they are; that none is missing, not even a deleted one, the kept counts tell. Writes of orders do nothing for it
// (decision 9).

// columns have, of all orders of an account at one moment, what lists filter and sort by, in the order of the ids.
type columns struct {
	until   int64 // the stamp of the account's last change before that moment
	micros  int64 // when that was
	ids     []search.ID
	totals  []int64
	created []int64
	numbers []int64
	states  []uint16 // status and channel, an index of names

	names  []string // of states: countedAs
	counts []int64  // how many orders each state has
	known  map[string]uint16
}

// orderLine is one order of columns.
type orderLine struct {
	id                     search.ID
	number, total, created int64
	state                  string // countedAs
}

// value is the order's value of a sort.
func (l *orderLine) value(sort Sort) int64 {
	switch sort {
	case ByTotal:
		return l.total
	case ByNumber:
		return l.number
	}
	return l.created
}

func newColumns(size int) *columns {
	return &columns{ids: make([]search.ID, 0, size), totals: make([]int64, 0, size), created: make([]int64, 0, size),
		numbers: make([]int64, 0, size), states: make([]uint16, 0, size), known: map[string]uint16{}}
}

// add adds an order behind all others.
func (c *columns) add(l orderLine) {
	state, known := c.known[l.state]
	if !known {
		state = uint16(len(c.names))
		c.names, c.counts = append(c.names, l.state), append(c.counts, 0)
		c.known[l.state] = state
	}
	c.counts[state]++
	c.ids, c.totals, c.created = append(c.ids, l.id), append(c.totals, l.total), append(c.created, l.created)
	c.numbers, c.states = append(c.numbers, l.number), append(c.states, state)
}

// column has the values of a sort.
func (c *columns) column(sort Sort) []int64 {
	switch sort {
	case ByTotal:
		return c.totals
	case ByNumber:
		return c.numbers
	}
	return c.created
}

// held is what a node knows of one account.
type held struct {
	wanted atomic.Int64 // when a list wanted columns last, in microseconds
	made   atomic.Int64 // when they were made last, or brought up to date
	read   atomic.Int64 // when all orders were read last
	now    atomic.Pointer[columns]
}

// heldOf is the key of an account's held in the memo of the store.
type heldOf id.Tenant

// current are columns as one transaction sees them.
type current struct {
	*columns
	clock int64             // the account's last change
	stale []int             // places of orders that are no longer as they were, sorted
	late  []orderLine       // those of them that there are, and new ones, as they are now, by id
	moved map[search.ID]int // all of both: their index of late, -1 for those that are gone
}

// ListsTopic is woken when a list wants columns that a node has not had in memory yet: FollowColumns makes them.
const ListsTopic = "lists of orders"

// wantColumns makes it known that a list looks at very many orders without columns: they will be made.
func wantColumns(tx *db.Tx) {
	kept, _ := tx.Memo().LoadOrStore(heldOf(tx.Tenant), new(held))
	own := kept.(*held)
	own.wanted.Store(tx.Micros())
	if own.made.Load() == 0 {
		tx.WakeNow(ListsTopic)
	}
}

// currentColumns are the columns of an account with all orders, nil if there are none that hold.
func currentColumns(tx *db.Tx) (*current, error) {
	kept, there := tx.Memo().Load(heldOf(tx.Tenant))
	if !there {
		return nil, nil
	}
	own := kept.(*held)
	at := own.now.Load()
	if at == nil || tx.Micros()-at.micros > columnsHold.Microseconds() {
		return nil, nil
	}
	now, err := at.current(tx, columnsLate)
	if now != nil {
		own.wanted.Store(tx.Micros())
	}
	return now, err
}

// current are the columns for a transaction; nil if they do not hold for it, or more than some orders have changed since.
func (c *columns) current(tx *db.Tx, most int) (*current, error) {
	now := &current{columns: c}
	last := tx.Prefetch(func(r db.Rows) error { return r.Scan(&now.clock) }, "SELECT last FROM change_clocks WHERE tenant_id = $1", tx.Tenant)
	counted := map[string]int64{}
	tallies := eachTallied(tx, func(status Status, channel id.Channel, n int64) { counted[countedAs(status, channel)] = n })
	changed := search.PrefetchAbout(tx, search.ChangesOfOrders, c.until, most+1)
	if err := db.WaitAll([]*db.PendingRead{last, tallies}); err != nil {
		return nil, err
	}
	ids, err := changed.Wait()
	if err != nil || now.clock < c.until || len(ids) > most {
		return nil, err
	}
	now.moved = make(map[search.ID]int, len(ids))
	if err := now.read(tx, ids); err != nil || !now.adds(counted) {
		return nil, err
	}
	return now, nil
}

// read reads the orders that have changed.
func (c *current) read(tx *db.Tx, ids []string) error {
	for _, id := range ids {
		c.moved[search.ParseID(id)] = -1
	}
	var lines lineReader
	err := db.Chunks(ids, func(piece []string) error {
		w := db.AndIn(db.NewWhere(tx, "o"), "o.id", db.Padded(piece))
		return tx.Each(func(r db.Rows) error {
			line, err := lines.read(r)
			c.late = append(c.late, line)
			return err
		}, selectLines+w.String(), w.Args()...)
	})
	slices.SortFunc(c.late, func(a, b orderLine) int { return search.CompareIDs(a.id, b.id) })
	c.late = slices.CompactFunc(c.late, func(a, b orderLine) bool { return a.id == b.id })
	for i := range c.late {
		c.moved[c.late[i].id] = i
	}
	places := search.SetOf(c.ids)
	for id := range c.moved {
		if at, there := places.Find(id); there {
			c.stale = append(c.stale, at)
		}
	}
	slices.Sort(c.stale)
	return err
}

// adds reports whether as many orders of each status and channel are there as are counted.
func (c *current) adds(counted map[string]int64) bool {
	for i, n := range c.counts {
		counted[c.names[i]] -= n
	}
	for _, at := range c.stale {
		counted[c.names[c.states[at]]]++
	}
	for i := range c.late {
		counted[c.late[i].state]--
	}
	for _, n := range counted {
		if n != 0 {
			return false
		}
	}
	return true
}

const selectLines = "SELECT o.id, o.number, o.status, coalesce(o.channel_id::TEXT, ''), o.total, o.created_at FROM orders o WHERE "

// lineReader reads rows of selectLines, without a piece of memory for each.
type lineReader struct {
	id, status, channel db.Buffer
	state               []byte
	states              map[string]string
}

func (l *lineReader) read(r db.Rows) (line orderLine, err error) {
	if err = r.Scan(&l.id, &line.number, &l.status, &l.channel, &line.total, &line.created); err != nil {
		return line, err
	}
	if l.state = append(l.state[:0], l.status...); len(l.channel) > 0 {
		l.state = append(append(l.state, ' '), l.channel...)
	}
	state, known := l.states[string(l.state)]
	if !known {
		state = countedAs(Status(l.status), id.Channel(l.channel))
		if l.states == nil {
			l.states = map[string]string{}
		}
		l.states[state] = state
	}
	line.id, line.state = search.ParseID(l.id), state
	return line, nil
}
