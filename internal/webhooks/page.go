package webhooks

import (
	"cmp"
	"slices"

	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// stretch is a range of positions, to excluded, and how many matching deliveries it has. width is that of its bucket,
// 0 for a range that is no whole bucket.
type stretch struct{ from, to, width, n int64 }

// stretches divides the filter's span into the fewest buckets, newest first, and leaves out those without a match.
// The stored figures count whole buckets; the deliveries at the two ends of the span, up to 10 seconds at each, are
// counted one by one.
func (f *Filter) stretches(tx *db.Tx) (list []stretch, err error) {
	from, to := max(f.From, 0), int64(spans.Last)
	if f.To > 0 {
		to = min(f.To+1, to)
	}
	if from >= to {
		return nil, nil
	}
	pieces, ends := spans.Fill(from, to, spans.Days)
	var reads []*db.PendingRead
	for _, p := range pieces {
		reads = append(reads, f.buckets(tx, p, &list))
	}
	for _, e := range ends {
		w := f.where(tx).And("d.position >= ?", e[0]).And("d.position < ?", e[1])
		reads = append(reads, tx.Prefetch(func(r db.Rows) error {
			s := stretch{from: e[0], to: e[1]}
			if err := r.Scan(&s.n); err != nil || s.n == 0 {
				return err
			}
			list = append(list, s)
			return nil
		}, "SELECT count(*) FROM deliveries d WHERE "+w.String(), w.Args()...))
	}
	err = db.WaitAll(reads)
	newestFirst(list)
	return list, err
}

func newestFirst(list []stretch) {
	slices.SortFunc(list, func(a, b stretch) int { return -cmp.Compare(a.from, b.from) })
}

// buckets reads how many deliveries match in each bucket of a piece.
func (f *Filter) buckets(tx *db.Tx, p spans.Piece, into *[]stretch) *db.PendingRead {
	counted := "pending + delivered + failed"
	if f.State != "" {
		counted = string(f.State) // named like its column
	}
	w := db.NewWhere(tx, "").And("endpoint_id = ?::UUID", f.Endpoint).And("span = ?", p.Width).And("bucket >= ?", p.From).
		And("bucket < ?", p.To)
	db.AndGiven(w, "event = ?", f.Event)
	return tx.Prefetch(func(r db.Rows) error {
		s := stretch{width: p.Width}
		err := r.Scan(&s.from, &s.n)
		s.to = s.from + p.Width
		*into = append(*into, s)
		return err
	}, "SELECT bucket, sum("+counted+")::BIGINT FROM delivery_figures WHERE "+w.String()+" GROUP BY bucket HAVING sum("+counted+") > 0",
		w.Args()...)
}

// where has all conditions of the filter but the span.
func (f *Filter) where(tx *db.Tx) *db.Where {
	w := db.NewWhere(tx, "d").And("d.endpoint_id = ?::UUID", f.Endpoint)
	db.AndGiven(w, "d.state = ?", f.State)
	db.AndGiven(w, "d.event = ?", f.Event)
	db.AndGiven(w, "d.resource_id = ?", f.Resource)
	return w
}

// window leaves out the stretches before and after a page: skip matches of the remaining ones are still to be
// skipped.
func window(list []stretch, skip, limit int64) (page []stretch, left int64) {
	for len(list) > 0 && list[0].n <= skip {
		skip, list = skip-list[0].n, list[1:]
	}
	for i, sum := 0, int64(0); i < len(list); i++ {
		if sum += list[i].n; sum >= skip+limit {
			return list[:i+1], skip
		}
	}
	return list, skip
}

// pageOf reads the page of a filter from its stretches: it divides the buckets in which the page lies into narrower
// and narrower ones, and reads the deliveries of the narrowest.
func (f *Filter) pageOf(tx *db.Tx, list []stretch) (page []Delivery, err error) {
	list, skip := window(list, int64(f.Offset), int64(f.Limit))
	for narrower := spans.Hours; narrower >= spans.Seconds; narrower-- {
		var parts []stretch
		var reads []*db.PendingRead
		for _, s := range list {
			if width := spans.Widths[narrower]; s.width > width {
				reads = append(reads, f.buckets(tx, spans.Piece{Width: width, From: s.from, To: s.to}, &parts))
			} else {
				parts = append(parts, s)
			}
		}
		if err := db.WaitAll(reads); err != nil {
			return nil, err
		}
		newestFirst(parts)
		list, skip = window(parts, skip, int64(f.Limit))
	}
	var reads []*db.PendingRead
	for _, s := range list {
		w := f.where(tx).And("d.position >= ?", s.from).And("d.position < ?", s.to)
		scan := deliveryTable.Scanner()
		reads = append(reads, tx.Prefetch(func(r db.Rows) error {
			d, err := scan(r)
			page = append(page, d)
			return err
		}, "SELECT "+deliveryTable.Columns("d")+" FROM deliveries d WHERE "+w.String()+" ORDER BY d.position DESC LIMIT "+
			w.Bind(min(s.n, skip+int64(f.Limit)))+"::BIGINT OFFSET "+w.Bind(skip)+"::BIGINT", w.Args()...))
		skip = 0
	}
	if err := db.WaitAll(reads); err != nil {
		return nil, err
	}
	return page[:min(len(page), f.Limit)], nil
}
