package orders

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/db"
)

// access is the index by which a page finds its orders. This file chooses it, because the engines choose badly: they
// read thousands of rows by the index of the sort although few match a filter, or sort all matches of a filter
// although the sort's index would find the page soon. A condition that must not lead the planner to an index is
// wrapped in an expression.
type access int

const (
	byCustomer access = iota // all orders of the customer, sorted afterwards
	byEmail                  // all orders of the e-mail address, sorted afterwards; see Filter.parts
	// (status, created_at), or (channel_id, status, created_at): exactly the orders that match the counted filter
	byStatus
	bySort    // all orders in the order of the sort; those that do not match are skipped
	byCountry // (country, status, created_at), used like byStatus
	byTotal   // the orders between the bounds of the total; sorted afterwards unless the list sorts by total
	byID      // orders with known ids
	byName    // the orders with an external reference or an id of a platform; see Filter.parts
	byUpdated // the orders between the bounds of updatedAt; sorted afterwards unless the list sorts by updatedAt
)

// inStates reports whether the index has the status before the creation.
func (a access) inStates() bool { return a == byStatus || a == byCountry }

// seekFrom is the offset from which the kept figures are used to find a page.
const seekFrom = 200

// fixedAccess reports whether the choice of the index is independent of how many orders match.
func (f Filter) fixedAccess() bool {
	switch {
	case f.RowFilter != (RowFilter{}) && !f.keptByCountry():
		return true
	case f.Sort == ByCreatedAt:
		return f.Offset < seekFrom && (f.Country == "" || f.Channel == "")
	}
	return false
}

// inTime reports whether the index has the creation after its leading columns.
func (a access) inTime() bool { return a == byCustomer || a == byEmail || a.inStates() }

// inOrder reports whether the index has the order of the list.
func (f Filter) inOrder(way access) bool {
	switch way {
	case bySort:
		return true
	case byTotal:
		return f.Sort == ByTotal
	case byUpdated:
		return f.Sort == ByUpdatedAt
	case byName:
		return false
	}
	return f.Sort == ByCreatedAt
}

// access is the index for a page whose choice is fixed.
func (f Filter) access() access {
	switch {
	case f.named():
		return byName
	case f.Customer != "":
		return byCustomer
	case f.Email != "":
		return byEmail
	case f.Stuck:
		return byID
	case f.updatedBetween():
		return byUpdated
	case f.Country != "":
		return byCountry
	case f.byTotals() && (f.Sort == ByTotal || f.Sort == ByUpdatedAt):
		return byTotal
	case f.Sort == ByCreatedAt, f.Sort == ByUpdatedAt:
		return byStatus
	}
	return bySort
}

// countedOverTotals reports whether matching orders are counted by the index of totals, because no other index selects fewer.
func (f Filter) countedOverTotals() bool {
	return f.byTotals() && !f.byOwnIndex() && f.Country == "" && !f.named() && !f.byUpdates()
}

// part is some of the orders of a list that one index has together.
type part struct {
	states   []Status // none: of any status
	email    emailPart
	platform bool // of orders with an external id: those that have it from their platform
}

// parts are the parts of a list by one index, which have no order in common.
func (f Filter) parts(way access) []part {
	switch {
	case way == byEmail:
		return []part{{states: f.Statuses, email: ofOrders}, {states: f.Statuses, email: ofCustomers}}
	case way == byName && f.ExternalID != "":
		return []part{{states: f.Statuses, email: anyOf}, {states: f.Statuses, email: anyOf, platform: true}}
	}
	return []part{{states: f.Statuses, email: anyOf}}
}

// prefetchCount prefetches how many orders match a filter, counted by one index.
func (f Filter) prefetchCount(r db.Reader, way access) *db.Pending[int64] {
	w := db.NewWhere(r, "o")
	counts := make([]string, 0, 2)
	for _, p := range f.parts(way) {
		counts = append(counts, "(SELECT count(*) FROM orders o WHERE "+f.conditions(w.Bind, way, p)+")")
	}
	return prefetchNumber(r, "SELECT "+strings.Join(counts, " + "), w.Args())
}

// conditions writes a page's conditions for one index and a part of the list.
func (f Filter) conditions(bind func(any) string, way access, p part) string {
	var text strings.Builder
	text.WriteString("o.tenant_id = $1")
	and := func(leads bool, condition string) {
		if !leads {
			condition = aside(condition)
		}
		text.WriteString(" AND " + condition)
	}
	if f.Reference != "" {
		and(true, "o.external_reference = "+bind(f.Reference))
	}
	if f.ExternalID != "" && p.platform { // the index of platforms' ids begins with the channel
		and(true, "o.channel_id IN (SELECT h.id FROM channels h WHERE h.tenant_id = $1) AND o.platform_id = "+bind(f.ExternalID)+
			" AND o.external_reference IS NULL")
	} else if f.ExternalID != "" {
		and(true, "o.external_reference = "+bind(f.ExternalID))
	}
	if f.Customer != "" {
		and(way != byName, "o.customer_id = "+bind(f.Customer)+"::UUID")
	}
	if f.Email != "" {
		and(way == byEmail, f.hasEmail(bind, p.email))
	}
	if f.Stuck {
		and(way == byID, "o.id IN ("+db.OnPostgres("SELECT unnest(ARRAY(")+ // whose planner would read all orders, if there are many issues
			"SELECT i.order_id FROM order_issues i WHERE "+isStuck+db.OnPostgres("))")+")")
	}
	if f.Country != "" {
		and(way == byCountry, "o.country = "+bind(f.Country))
	}
	if f.MinTotal != nil {
		and(way == byTotal, "o.total >= "+bind(*f.MinTotal))
	}
	if f.MaxTotal != nil {
		and(way == byTotal, "o.total <= "+bind(*f.MaxTotal))
	}
	along := way == byUpdated || way == bySort && f.Sort == ByUpdatedAt
	if f.UpdatedFrom != 0 {
		and(along, "o.updated_at >= "+bind(f.UpdatedFrom))
	}
	if f.UpdatedTo != 0 {
		and(along, "o.updated_at <= "+bind(f.UpdatedTo))
	}
	if f.Channel != "" {
		and(way == byStatus, "o.channel_id = "+bind(f.Channel)+"::UUID")
	}
	states := p.states
	if way.inStates() && len(states) == 0 {
		states = Statuses
	}
	if len(states) == 1 {
		and(way.inStates(), "o.status = "+bind(string(states[0])))
	} else if len(states) > 1 {
		list := make([]string, len(states))
		for i, s := range states {
			list[i] = bind(string(s))
		}
		and(way.inStates(), "o.status IN ("+strings.Join(list, ",")+")")
	}
	if f.From != 0 {
		and(way.inTime(), "o.created_at >= "+bind(f.From))
	}
	if f.To != 0 {
		and(way.inTime(), "o.created_at <= "+bind(f.To))
	}
	if f.Search != "" {
		and(false, "o.search LIKE "+bind(likePattern(f.Search))+` ESCAPE '\'`)
	}
	return text.String()
}

// aside wraps a condition so that the planner uses no index for it and expects half of the rows to match.
func aside(condition string) string { return "CASE WHEN " + condition + " THEN TRUE ELSE FALSE END" }

// prefetchPage prefetches one page; wait waits for it. Ids are read first, and then only the page's rows.
func prefetchPage(r db.Reader, f Filter, way access) *db.Pending[[]Order] {
	sql, args := f.page(r, way)
	p := new(db.Pending[[]Order])
	scan := table.Scanner()
	return p.Await(r.Prefetch(func(row db.Rows) error {
		o, err := scan(row)
		p.Value = append(p.Value, o)
		return err
	}, sql, args...))
}

// wait waits for a page and puts it in the order of the filter: SQLite would sort whole rows.
func (f Filter) wait(page *db.Pending[[]Order]) ([]Order, error) {
	list, err := page.Wait()
	slices.SortFunc(list, func(a, b Order) int {
		x, y := f.CursorOf(&a), f.CursorOf(&b)
		c := cmp.Or(cmp.Compare(x.Value, y.Value), cmp.Compare(x.ID, y.ID))
		if !f.Ascending {
			c = -c
		}
		return c
	})
	return list, err
}

// page writes the query of one page.
func (f Filter) page(r db.Reader, way access) (sql string, args []any) {
	w := db.NewWhere(r, "o")
	order := direction(f.Ascending)
	return "SELECT " + table.Columns("o") + " FROM (" + f.keys(w, way) + `) AS page
		CROSS JOIN orders o
		LEFT JOIN channels c ON c.tenant_id = $1 AND c.id = o.channel_id
		LEFT JOIN customers p ON p.tenant_id = $1 AND p.id = o.customer_id
		WHERE o.tenant_id = $1 AND o.id = page.id` + // CROSS, so that SQLite takes the page first
		db.OnPostgres(" ORDER BY page.k "+order+", page.id "+order), w.Args()
}

// keys writes the query of the sort values k and ids of one page. Each part of the list, and each state of an index by status, is a branch
// of its own, in the order of the list. SQLite merges the branches as far as the page reaches; PostgreSQL would sort them, so each says how
// far that is.
func (f Filter) keys(w *db.Where, way access) (sql string) {
	column, order := "o."+sortColumns[f.Sort], direction(f.Ascending)
	inOrder := f.inOrder(way)
	if !inOrder {
		column = "(" + column + " + 0)"
	}
	limit, offset := w.Bind(f.Limit), ""
	reach := limit // how many rows each branch must read
	if f.After == nil && f.Offset > 0 {
		offset, reach = " OFFSET "+w.Bind(f.Offset)+"::BIGINT", w.Bind(f.Limit+f.Offset)
	}
	branch := func(p part) string {
		where := f.conditions(w.Bind, way, p)
		if f.After != nil {
			where += " AND (" + column + ", o.id) " + beyond(f.Ascending) + " (" + w.Bind(f.After.Value) + "::BIGINT, " + w.Bind(f.After.ID) +
				"::UUID)"
		}
		return "SELECT " + column + " AS k, o.id AS id FROM orders o WHERE " + where +
			db.OnPostgres(" ORDER BY "+column+" "+order+", o.id "+order+" LIMIT "+reach+"::BIGINT")
	}
	parts := f.parts(way)
	if way.inStates() && inOrder {
		parts = nil
		for _, s := range f.states() {
			parts = append(parts, part{states: []Status{s}})
		}
	}
	ids := ""
	for i, p := range parts {
		if i > 0 {
			ids += " UNION ALL "
		}
		ids += db.OnPostgres("SELECT * FROM (") + branch(p) + db.OnPostgres(") AS b"+strconv.Itoa(i))
	}
	return db.OnPostgres("SELECT k, id FROM (") + ids + db.OnPostgres(") AS branches") +
		" ORDER BY k " + order + ", id " + order + " LIMIT " + limit + "::BIGINT" + offset
}

func beyond(ascending bool) string {
	if ascending {
		return ">"
	}
	return "<"
}
