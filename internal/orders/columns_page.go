package orders

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// byColumns reports whether columns have all that the filter asks for, but for a search.
func (f Filter) byColumns() bool { return !f.byOwnIndex() && f.Country == "" }

// asks is what a filter asks of a line.
type asks struct {
	states                 []bool // by number of columns
	byTotal, byTime        bool
	least, most, from, end int64 // the last one excluded
	filter                 Filter
}

func (c *current) asks(f Filter) *asks {
	a := &asks{filter: f, byTotal: f.byTotals(), least: math.MinInt64, most: math.MaxInt64, byTime: f.From != 0 || f.To != 0}
	if f.MinTotal != nil {
		a.least = int64(*f.MinTotal)
	}
	if f.MaxTotal != nil {
		a.most = int64(*f.MaxTotal)
	}
	a.from, a.end = f.bounds()
	for _, state := range c.names {
		a.states = append(a.states, a.inState(state))
	}
	return a
}

func (a *asks) inState(state string) bool {
	status, channel, _ := strings.Cut(state, " ")
	return slices.Contains(a.filter.states(), Status(status)) && (a.filter.Channel == "" || a.filter.Channel == id.Channel(channel))
}

// fits reports whether the order at a place of the columns, as it was then, matches.
func (c *current) fits(a *asks, at int) bool {
	return a.states[c.states[at]] && (!a.byTotal || c.totals[at] >= a.least && c.totals[at] <= a.most) &&
		(!a.byTime || c.created[at] >= a.from && c.created[at] < a.end)
}

// fits reports whether an order that has changed since matches.
func (l *orderLine) fits(a *asks) bool {
	return a.inState(l.state) && l.total >= a.least && l.total <= a.most && l.created >= a.from && l.created < a.end
}

// each calls do with the place of each order that matches; behind those of the columns are those of late ones.
func (c *current) each(a *asks, do func(at int)) {
	begin := 0
	piece := func(end int) {
		for at := begin; at < end; at++ {
			if c.fits(a, at) {
				do(at)
			}
		}
	}
	for _, stale := range c.stale {
		piece(stale)
		begin = stale + 1
	}
	piece(len(c.ids))
	for i := range c.late {
		if c.late[i].fits(a) {
			do(len(c.ids) + i)
		}
	}
}

// idAt is the id of the order at a place.
func (c *current) idAt(at int) search.ID {
	if at < len(c.ids) {
		return c.ids[at]
	}
	return c.late[at-len(c.ids)].id
}

// Bounds of the selection of a page. Tests lower them.
var (
	partsOf      = 4096 // into which the values of a sort are divided at once, a power of two
	sortedAtOnce = 4096 // orders that are sorted rather than divided once more
)

// list reads a page of a list, unless an error came before.
func (c *current) list(tx *db.Tx, f Filter, err error) ([]Order, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	page, total := c.page(f)
	list, err := inOrder(tx, page, nil)
	return list, total, err
}

// page selects the orders of a page, and counts all that match.
//
// The values of the sort are divided into parts of equal width, and the orders of each part are counted; then the parts that the page
// touches are divided likewise, until they have few orders, or one value.
func (c *current) page(f Filter) (page []search.ID, total int64) {
	if f.After != nil {
		f.Offset = 0
	}
	a := c.asks(f)
	value := c.values(f.Sort)
	low, high := c.span(f.Sort)
	var first, last int64 // places in the list among those from low to high, the last one excluded
	for n, begun := int64(0), false; ; begun = true {
		counts, shift := make([]int64, partsOf), max(0, bits.Len64(uint64(high-low))-bits.Len(uint(partsOf))+1)
		was := n
		n = 0
		c.each(a, func(at int) {
			if !begun {
				total++
			}
			if k := value(at); k >= low && k <= high && (f.After == nil || f.behind(k, c.idAt(at))) {
				counts[(k-low)>>shift]++
				n++
			}
		})
		if !begun {
			if first, last = min(int64(f.Offset), n), min(int64(f.Offset+f.Limit), n); first == last {
				return nil, total
			}
			if !f.Ascending {
				first, last = n-last, n-first
			}
		}
		from, to, within := 0, 0, counts[0]
		for ; first >= counts[from]; from++ {
			first, last, within = first-counts[from], last-counts[from], counts[from+1]
		}
		for to = from; within < last; to++ {
			within += counts[to+1]
		}
		low, high = low+int64(from)<<shift, min(high, low+int64(to+1)<<shift-1)
		if n = within; n <= int64(sortedAtOnce) || shift == 0 || n == was {
			break
		}
	}
	var some []search.Hit
	c.each(a, func(at int) {
		if k := value(at); k >= low && k <= high && (f.After == nil || f.behind(k, c.idAt(at))) {
			some = append(some, search.Hit{ID: c.idAt(at), Sort: k})
		}
	})
	descending := !f.Ascending
	f.Ascending = true
	slices.SortFunc(some, f.compareHits)
	for _, h := range some[first:last] {
		page = append(page, h.ID)
	}
	if descending {
		slices.Reverse(page)
	}
	return page, total
}

// values are those of a sort, by place.
func (c *current) values(sort Sort) func(at int) int64 {
	column := c.column(sort)
	return func(at int) int64 {
		if at < len(column) {
			return column[at]
		}
		return c.late[at-len(column)].value(sort)
	}
}

// span is from the lowest to the highest value of a sort, of any order.
func (c *current) span(sort Sort) (low, high int64) {
	column := c.column(sort)
	low, high = math.MaxInt64, math.MinInt64
	if len(column) > 0 {
		low, high = slices.Min(column), slices.Max(column)
	}
	for i := range c.late {
		value := c.late[i].value(sort)
		low, high = min(low, value), max(high, value)
	}
	return low, max(low, high)
}

// behind reports whether an order comes behind the page before.
func (f Filter) behind(value int64, order search.ID) bool {
	by := cmp.Compare(value, f.After.Value)
	if by == 0 {
		by = search.CompareIDs(order, search.ParseID(f.After.ID))
	}
	return by > 0 == f.Ascending && by != 0
}

// among calls do for those of some orders that match the filter, with their places. Orders in the order of their ids are found quickly.
func (c *current) among(f Filter, ids []search.ID, do func(id search.ID, at int)) {
	a, places, at := c.asks(f), search.SetOf(c.ids), 0
	for _, id := range ids {
		if late, moved := c.moved[id]; moved {
			if late >= 0 && c.late[late].fits(a) {
				do(id, len(c.ids)+late)
			}
			continue
		}
		for range stepsToNext { // mostly it is one of the next
			if at < len(c.ids) && search.CompareIDs(c.ids[at], id) < 0 {
				at++
			}
		}
		there := at < len(c.ids) && c.ids[at] == id
		if !there {
			at, there = places.Find(id)
		}
		if there && c.fits(a, at) {
			do(id, at)
		}
	}
}

// stepsToNext is how many orders are passed before one is looked for.
const stepsToNext = 4

// keep is the set of those orders found that match the filter.
func (c *current) keep(f Filter, found *search.Set) *search.Set {
	left := make([]search.ID, 0, found.Len())
	c.among(f, found.IDs(), func(id search.ID, _ int) { left = append(left, id) })
	return search.SetOf(left)
}

// add adds those of some orders that match the filter to a page.
func (c *current) add(f Filter, ids []search.ID, page *search.Page) {
	value := c.values(f.Sort)
	c.among(f, ids, func(id search.ID, at int) { page.Add(search.Hit{ID: id, Sort: value(at)}) })
}
