package orders

import (
	"slices"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
	"entrepot/internal/lists"
	"entrepot/internal/search"
)

// A list's filters and sorts, with the indexes that serve them. A new filter is a q.Add in query, and a new sort an entry of
// sorts; package lists chooses among the indexes.

// listed are orders as lists read them.
var listed = &lists.Noun{Rows: "orders o", ID: "o.id", Search: search.Orders, Text: "search"}

// sorts are the columns of the sorts.
var sorts = map[Sort]lists.Sort{ByCreatedAt: {Column: "created_at"}, ByTotal: {Column: "total"},
	ByNumber: {Column: "number", Unique: true}, ByUpdatedAt: {Column: "updated_at"}}

// reader reads orders without lines.
func (f Filter) reader() lists.Reader[Order] {
	return lists.Reader[Order]{Scan: func() func(db.Rows) (Order, error) { return table.Scanner() }, ByKey: byKeys,
		Query: func(keys string) string {
			return "SELECT " + table.Columns("o") + " FROM (" + keys + `) AS page
				CROSS JOIN orders o
				LEFT JOIN channels c ON c.tenant_id = $1 AND c.id = o.channel_id
				LEFT JOIN customers p ON p.tenant_id = $1 AND p.id = o.customer_id
				WHERE o.tenant_id = $1 AND o.id = page.id` // CROSS, so that SQLite takes the page first
		},
		Key: func(o *Order) lists.Key { return f.CursorOf(o).key() }}
}

func (c Cursor) key() lists.Key { return lists.Key{ID: string(c.ID), Number: c.Value} }

// query adds the filters, and the indexes that have orders by these filters and in the order of the sort.
func (f Filter) query(tx *db.Tx) (q lists.Query, err error) {
	q = lists.Query{Noun: listed, Search: f.Search, Sort: sorts[f.Sort], Descending: !f.Ascending, Offset: f.Offset, Limit: f.Limit, Uncounted: f.Uncounted,
		All: lists.Once(func(tx *db.Tx) (int64, error) { return prefetchTotal(tx, CountedFilter{}).Wait() })}
	if f.After != nil {
		after := f.After.key()
		q.After = &after
	}
	if f.RowFilter.isEmpty() {
		q.Total = func(tx *db.Tx) *db.Pending[int64] { return prefetchTotal(tx, f.CountedFilter) }
	}
	created := between("created_at", f.From, f.To)
	if len(f.Statuses) > 0 {
		status, others := lists.In("status", f.Statuses), Filter{}
		others.Statuses = slices.DeleteFunc(slices.Clone(Statuses), func(s Status) bool { return slices.Contains(f.Statuses, s) })
		if len(others.Statuses) > 0 {
			status.Rest = others.counted(lists.Filter{}, false)
		}
		q.Filters = append(q.Filters, status)
	}
	if f.Channel != "" {
		q.Filters = append(q.Filters, equal("channel_id", "::UUID", f.Channel))
	}
	if created.Args != nil {
		q.Filters = append(q.Filters, created)
	}
	if f.Reference != "" {
		q.Add(equal("external_reference", "", f.Reference), f.index("", nil, bound(equal("external_reference", "", f.Reference))))
	}
	if f.ExternalID != "" {
		q.Add(f.externalID())
	}
	if f.Customer != "" {
		of := equal("customer_id", "::UUID", f.Customer)
		q.Add(of, f.index("created_at", nil, bound(of, created)))
	}
	if f.Email != "" {
		q.Add(f.email(created))
	}
	if len(f.Tags) > 0 {
		q.Add(f.tagged(created))
	}
	if f.Assigned.any() {
		q.Add(f.assigned(created))
	}
	if f.Stuck {
		open := "IN (" + db.OnPostgres("SELECT unnest(ARRAY(") + // whose planner would read all orders, if there are many issues
			"SELECT i.order_id FROM order_issues i WHERE " + isStuck + db.OnPostgres("))") + ")"
		q.Add(lists.Filter{Name: "stuck", Where: "{id} " + open}, f.index("", nil, lists.Bound{Where: "o.id " + open}))
	}
	if f.Country != "" {
		if err := f.addCountry(tx, &q, created); err != nil {
			return q, err
		}
	}
	if f.byTotals() {
		f.addTotals(&q)
	}
	if f.updatedBetween() {
		at := between("updated_at", f.UpdatedFrom, f.UpdatedTo)
		q.Add(at, f.index("updated_at", nil, bound(at)))
	}
	if f.Channel != "" {
		q.Indexes = append(q.Indexes, f.counted(created, true))
	}
	q.Indexes = append(q.Indexes, f.counted(created, false))
	if f.Sort != ByCreatedAt {
		all := f.index(sorts[f.Sort].Column, q.All, lists.Bound{})
		all.Passed = f.passed
		q.Indexes = append(q.Indexes, all)
	}
	return q, nil
}

// index returns an index of orders that serves the filters of its bounds, see bound.
func (f Filter) index(sort string, size func(*db.Tx) (int64, error), bounds ...lists.Bound) *lists.Index {
	x := &lists.Index{From: listed.Rows, ID: listed.ID, Bounds: bounds, Sort: sort, Size: size}
	if sort != "" {
		x.Has, x.Scattered = []string{sort}, sort == "total"
	}
	return x
}

// equal returns the filter that a column has a value.
func equal(column, cast string, value any) lists.Filter {
	return lists.Filter{Name: column, Columns: []string{column}, Where: "{row}." + column + " = ?" + cast, Args: []any{value}}
}

// between returns the filter that a column is within two bounds, both included; 0: none. Without a bound the filter has
// no arguments.
func between(column string, from, to int64) lists.Filter {
	f := lists.Filter{Name: column, Columns: []string{column}, Where: "TRUE"}
	if from != 0 {
		f.Where, f.Args = f.Where+" AND {row}."+column+" >= ?", append(f.Args, from)
	}
	if to != 0 {
		f.Where, f.Args = f.Where+" AND {row}."+column+" <= ?", append(f.Args, to)
	}
	f.Where = strings.TrimPrefix(f.Where, "TRUE AND ")
	return f
}

// bound joins filters to the bound of an index.
func bound(filters ...lists.Filter) (b lists.Bound) {
	var conditions []string
	for _, f := range filters {
		if f.Args != nil {
			conditions, b.Args = append(conditions, strings.ReplaceAll(f.Where, "{row}", "o")), append(b.Args, f.Args...)
		}
	}
	b.Where = strings.Join(conditions, " AND ")
	return b
}

// counted returns the index of the orders that match the counted filter: (channel_id, status, created_at), or (status,
// created_at) with the columns that lists filter and sort by. ofChannel chooses the first, if the filter has a channel.
func (f Filter) counted(created lists.Filter, ofChannel bool) *lists.Index {
	x := f.index("created_at", func(tx *db.Tx) (int64, error) { return prefetchTotal(tx, f.CountedFilter).Wait() })
	x.Serves = []string{"status", "created_at"}
	if ofChannel {
		x.Serves = append(x.Serves, "channel_id")
		x.Has = x.Serves
		x.Bounds = f.eachState(created, equal("channel_id", "::UUID", f.Channel))
		return x
	}
	f.Channel = ""
	x.Has = []string{"status", "created_at", "channel_id", "country", "total", "number", "updated_at"}
	x.Bounds = f.eachState(created)
	return x
}

// eachState returns a bound for each status of the filter.
func (f Filter) eachState(created lists.Filter, lead ...lists.Filter) (bounds []lists.Bound) {
	for _, s := range f.states() {
		bounds = append(bounds, bound(append(slices.Clone(lead), equal("status", "", string(s)), created)...))
	}
	return bounds
}

// externalID returns the filter by external id: the external reference or, without one, the platform's id, whose index
// begins with the channel.
func (f Filter) externalID() (lists.Filter, *lists.Index) {
	const own, theirs = "{row}.external_reference = ?", "{row}.channel_id IN (SELECT h.id FROM channels h WHERE h.tenant_id = $1) AND " +
		"{row}.platform_id = ? AND {row}.external_reference IS NULL"
	arg := []any{f.ExternalID}
	x := f.index("", lists.Known(2), bound(lists.Filter{Where: own, Args: arg}), bound(lists.Filter{Where: theirs, Args: arg}))
	x.Most = true
	return lists.Filter{Name: "external id", Columns: []string{"external_reference", "platform_id", "channel_id"},
		Where: "(" + own + " OR " + theirs + ")", Args: []any{f.ExternalID, f.ExternalID}}, x
}

// email returns the filter by e-mail address. Most orders have the address of their customer and are found through the
// customer. An index of all addresses would be a tenth of the pages that an order writes on SQLite.
func (f Filter) email(created lists.Filter) (lists.Filter, *lists.Index) {
	const own, theirs = "{row}.email_key = ?", "{row}.email_key IS NULL AND " +
		"{row}.customer_id = (SELECT e.id FROM customers e WHERE e.tenant_id = $1 AND e.email_key = ?)"
	key := []any{EmailKey(f.Email)}
	return lists.Filter{Name: "email", Columns: []string{"email_key", "customer_id"}, Where: "(" + own + " OR " + theirs + ")",
			Args: []any{key[0], key[0]}},
		f.index("created_at", nil, bound(lists.Filter{Where: own, Args: key}, created), bound(lists.Filter{Where: theirs, Args: key}, created))
}

// addCountry adds the filter by country, unless all orders have it, and its index (country, status, created_at).
func (f Filter) addCountry(tx *db.Tx, q *lists.Query, created lists.Filter) error {
	c, err := f.countCountry(tx)
	if err != nil {
		return err
	}
	rows, counted := f.RowFilter, f.From == 0 && f.To == 0
	rows.Country = ""
	if counted && rows.isEmpty() {
		q.Total = func(*db.Tx) *db.Pending[int64] { return &db.Pending[int64]{Value: c.matching} }
	}
	if c.country == c.all {
		return nil // it selects nothing
	}
	to := equal("country", "", f.Country)
	x := f.index("created_at", nil, f.eachState(created, to)...)
	if counted || c.states == 0 {
		x.Size = lists.Known(c.states)
	}
	x.Has = []string{"country", "status", "created_at"}
	q.Add(to, x)
	x.Serves = x.Has
	return nil
}

// addTotals adds the bounds of the total, and the index of totals, which also has the orders beyond the bounds.
func (f Filter) addTotals(q *lists.Query) {
	within := lists.Filter{Name: "total", Columns: []string{"total"}, Where: "TRUE"}
	var beyond []lists.Bound
	if f.MinTotal != nil {
		within.Where, within.Args = "{row}.total >= ?", append(within.Args, *f.MinTotal)
		beyond = append(beyond, lists.Bound{Where: "o.total < ?", Args: []any{*f.MinTotal}})
	}
	if f.MaxTotal != nil {
		within.Where, within.Args = within.Where+" AND {row}.total <= ?", append(within.Args, *f.MaxTotal)
		beyond = append(beyond, lists.Bound{Where: "o.total > ?", Args: []any{*f.MaxTotal}})
	}
	within.Where = strings.TrimPrefix(within.Where, "TRUE AND ")
	x := f.index("total", nil, bound(within))
	within.Rest = f.index("total", q.Others(x), beyond...)
	q.Add(within, x)
}

// passed counts the orders that a list by number or by updatedAt passes before it reaches the filter's bounds of time: both grow with time.
func (f Filter) passed(tx *db.Tx, descending bool) (int64, error) {
	switch {
	case f.Sort != ByNumber && f.Sort != ByUpdatedAt:
	case !descending && f.From > 1:
		return prefetchTotal(tx, CountedFilter{To: f.From - 1}).Wait()
	case descending && f.To > 0 && f.To < spans.Last:
		return prefetchTotal(tx, CountedFilter{From: f.To + 1}).Wait()
	}
	return 0, nil
}

// LastRecorded reads the last recorded orders that contain a term, at most n, without lines, for searches of
// everything.
func LastRecorded(tx *db.Tx, term string, n int) ([]Order, error) {
	ids, err := search.Newest(tx, search.Orders, term, n, nil)
	if err != nil || len(ids) == 0 {
		return []Order{}, err
	}
	texts := make([]id.Order, len(ids))
	for i := range ids {
		texts[i] = id.Order(ids[i].String())
	}
	list, err := byIDs(tx, texts)
	slices.SortFunc(list, func(a, b Order) int {
		return slices.Index(texts, a.ID) - slices.Index(texts, b.ID)
	})
	return list, err
}

// byKeys is byIDs for a list.
func byKeys(tx *db.Tx, keys []lists.Key) ([]Order, error) {
	return byIDs(tx, lists.IDs[id.Order](keys))
}

// byIDs reads orders without lines, in no order.
func byIDs(tx *db.Tx, ids []id.Order) (list []Order, err error) {
	scan := table.Scanner()
	return list, eachOf(tx, ids, func(r db.Rows) error {
		o, err := scan(r)
		list = append(list, o)
		return err
	}, "SELECT "+table.Columns("o")+from+"WHERE o.tenant_id = $1 AND o.id IN ", "")
}
