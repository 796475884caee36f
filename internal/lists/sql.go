package lists

import (
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/search"
)

// aliasOf returns the alias at the end of a FROM, and tableOf the table at its beginning.
func aliasOf(from string) string { return from[strings.LastIndexByte(from, ' ')+1:] }
func tableOf(from string) string { return from[:strings.IndexByte(from, ' ')] }

// bind binds the arguments of a condition in place of its question marks.
func bind(w *db.Where, condition string, args []any) string {
	var text strings.Builder
	for i, piece := range strings.Split(condition, "?") {
		if i > 0 {
			text.WriteString(w.Bind(args[i-1]))
		}
		text.WriteString(piece)
	}
	return text.String()
}

// run returns the FROM and WHERE of one run of an index, and the SQL of the sort's column if wantSort asks for it.
func (q *Query) run(w *db.Where, x *Index, b Bound, wantSort bool) (from, where, value string) {
	from = x.From
	own, row := aliasOf(x.From), aliasOf(q.Rows)
	where = own + ".tenant_id = $1"
	if x.From == q.Rows && q.Living != "" {
		where += " AND " + q.Living
	}
	if b.Where != "" {
		where += " AND " + bind(w, b.Where, b.Args)
	}
	joined := ""
	of := func(columns ...string) string { // the alias of the row with these columns
		if x.has(columns...) || own == row {
			return own
		}
		joined = " AND " + row + ".tenant_id = $1 AND " + q.ID + " = " + x.ID
		return row
	}
	if wantSort {
		value = of(q.Sort.Column) + "." + q.Sort.Column
		if q.Sort == ByID {
			value = x.ID
		}
	}
	filters := ""
	for _, f := range q.Filters {
		if !x.meets(f) {
			condition := f.Elsewhere
			if condition == "" || own == row {
				condition = strings.ReplaceAll(f.Where, "{row}", of(f.Columns...))
			}
			condition = strings.ReplaceAll(condition, "{id}", x.ID)
			filters += " AND " + db.Unindexed(bind(w, condition, f.Args))
		}
	}
	if joined != "" && !strings.HasPrefix(from, q.Rows+" ") {
		from += " CROSS JOIN " + q.Rows // CROSS, so that SQLite reads the index first
	}
	return from, where + joined + filters, value
}

// counting returns the query that counts an index's rows that match.
func (q *Query) counting(w *db.Where, x *Index) string {
	counts := make([]string, len(x.Bounds))
	for i, b := range x.Bounds {
		from, where, _ := q.run(w, x, b, false)
		counts[i] = "(SELECT count(*) FROM " + from + " WHERE " + where + ")"
	}
	return "SELECT " + strings.Join(counts, " + ")
}

// ids returns the query of the ids of an index's rows that match.
func (q *Query) ids(w *db.Where, x *Index) string {
	runs := make([]string, len(x.Bounds))
	for i, b := range x.Bounds {
		from, where, _ := q.run(w, x, b, false)
		runs[i] = "SELECT " + x.ID + " FROM " + from + " WHERE " + where
	}
	return strings.Join(runs, " UNION ALL ")
}

// keys returns the query of the sort values k and the ids of an index's rows that match, in no order.
func (q *Query) keys(w *db.Where, x *Index) string {
	runs := make([]string, len(x.Bounds))
	for i, b := range x.Bounds {
		from, where, value := q.run(w, x, b, true)
		runs[i] = "SELECT " + value + " AS k, " + x.ID + " AS id FROM " + from + " WHERE " + where
	}
	return strings.Join(runs, " UNION ALL ")
}

// page returns the query of the sort values k and the ids of a page. SQLite merges the runs of an index only up to the
// end of the page. PostgreSQL would sort whole runs, so each run is limited to the end of the page.
func (q *Query) page(w *db.Where, x *Index) string {
	direction, beyond := " ASC", " > "
	if q.Descending {
		direction, beyond = " DESC", " < "
	}
	inOrder := x.Sort == q.Sort.Column
	limit, offset := w.Bind(q.Limit)+"::BIGINT", ""
	reach := limit
	if q.After == nil && q.Offset > 0 {
		offset = " OFFSET " + w.Bind(q.Offset) + "::BIGINT"
		if inOrder && len(x.Bounds) > 1 {
			reach = w.Bind(q.reach()) + "::BIGINT"
		}
	}
	runs := make([]string, len(x.Bounds))
	order := ""
	for i, b := range x.Bounds {
		from, where, value := q.run(w, x, b, true)
		switch {
		case inOrder || q.Sort == ByID:
		case q.Sort.Text:
			value += ` COLLATE "C" || ''`
		default:
			value = "(" + value + " + 0)"
		}
		order = " ORDER BY " + value + direction
		if !q.Sort.Unique {
			order += ", " + x.ID + direction
		}
		if q.After != nil && q.Sort == ByID {
			where += " AND " + x.ID + beyond + w.Bind(q.After.ID) + q.castOfID()
		} else if q.After != nil {
			cast, after := "::BIGINT", any(q.After.Number)
			if q.Sort.Text {
				cast, after = "::TEXT", q.After.Text
			}
			where += " AND (" + value + ", " + x.ID + ")" + beyond + "(" + w.Bind(after) + cast + ", " + w.Bind(q.After.ID) + q.castOfID() + ")"
		}
		runs[i] = "SELECT " + value + " AS k, " + x.ID + " AS id FROM " + from + " WHERE " + where
	}
	if len(runs) == 1 {
		return runs[0] + order + " LIMIT " + limit + offset
	}
	for i := range runs {
		if inOrder {
			runs[i] += db.OnPostgres(order + " LIMIT " + reach)
		}
		runs[i] = db.OnPostgres("SELECT k, id FROM (") + runs[i] + db.OnPostgres(") AS b"+strconv.Itoa(i))
	}
	order = " ORDER BY k" + direction + ", id" + direction
	if q.Sort == ByID {
		order = " ORDER BY id" + direction
	}
	return db.OnPostgres("SELECT k, id FROM (") + strings.Join(runs, " UNION ALL ") + db.OnPostgres(") AS runs") + order +
		" LIMIT " + limit + offset
}

// each runs a query of sort values and ids and passes each row on.
func (q *Query) each(tx *db.Tx, each func(Key), sql string, args []any) error {
	var id db.Buffer
	return tx.Each(func(r db.Rows) (err error) {
		var k Key
		switch {
		case q.Sort == ByID:
			var same db.Buffer
			err = r.Scan(&same, &id)
		case q.Sort.Text:
			err = r.Scan(&k.Text, &id)
		default:
			err = r.Scan(&k.Number, &id)
		}
		k.ID = string(id)
		each(k)
		return err
	}, sql, args...)
}

// list runs a query of sort values and ids and returns the rows.
func (q *Query) list(tx *db.Tx, sql string, args []any) (keys []Key, err error) {
	err = q.each(tx, func(k Key) { keys = append(keys, k) }, sql, args)
	return keys, err
}

// lookUp calls each for the rows with some ids, or of some owners, that match.
func (q *Query) lookUp(tx *db.Tx, ids []search.ID, each func(Key)) error {
	rows := func(ids []any) Bound { return Bound{q.ID + " IN (?" + strings.Repeat(",?", len(ids)-1) + ")", ids} }
	pieces := slices.Collect(slices.Chunk(ids, 256))
	if q.Owned != nil {
		rows, pieces = q.Owned.Rows, append(pieces, nil)
	}
	for _, piece := range pieces {
		texts := make([]string, len(piece))
		for i := range piece {
			texts[i] = piece[i].String()
		}
		w := db.NewWhere(tx, "")
		x := &Index{From: q.Rows, ID: q.ID, Bounds: []Bound{rows(db.Padded(texts))}}
		if err := q.each(tx, each, q.keys(w, x), w.Args()); err != nil {
			return err
		}
	}
	return nil
}

// castOfID is the type of an id in a statement.
func (q *Query) castOfID() string {
	if q.Texts {
		return "::TEXT"
	}
	return "::UUID"
}
