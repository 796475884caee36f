package sales

import (
	"errors"
	"maps"

	"entrepot/internal/base/spans"
	"entrepot/internal/db"
	"entrepot/internal/view"
)

// compare compares every valid block with the sums of the lines. The lines are read once, hour by hour, and their sums
// are added up for a day and for 30 days.
func compare(tx *db.Tx, _ int64, found view.Findings) error {
	v := verifier{tx: tx, found: found}
	for level := range widths {
		list, err := states(tx, level, 0, spans.Last)
		if err != nil {
			return err
		}
		v.states = append(v.states, list)
	}
	for len(v.states[months]) > 0 {
		if _, err := v.next(months); err != nil {
			return err
		}
	}
	return nil
}

// verifier compares blocks with lines.
type verifier struct {
	tx     *db.Tx
	found  view.Findings
	states [][]state // by level: the states of the buckets to come
}

// next compares the next bucket of a level and all narrower ones in it, and returns the sums of its lines.
func (v *verifier) next(level int) (map[item]Sum, error) {
	s := v.states[level][0]
	v.states[level] = v.states[level][1:]
	lines := map[item]Sum{}
	if level == hours {
		if _, err := collect(v.tx, s.bucket, s.bucket+widths[level], -1, into(lines)); err != nil {
			return nil, err
		}
	}
	for level > hours && len(v.states[level-1]) > 0 && v.states[level-1][0].bucket < s.bucket+widths[level] {
		part, err := v.next(level - 1)
		if err != nil {
			return nil, err
		}
		for i, sum := range part {
			into(lines)(i, sum)
		}
	}
	kept, holds, err := readBlock(v.tx, level, s)
	broken := errors.Is(err, errBroken)
	if broken {
		err = nil
	}
	if err != nil || !holds && !broken {
		return lines, err
	}
	if v.found.Checked(); broken || !maps.EqualFunc(kept, lines, Sum.equal) {
		v.found.Wrong(func(tx *db.Tx, _ int64) error { // until another block is built, the bucket is read from its lines
			tx.Queue("DELETE FROM sales_blocks WHERE tenant_id = $1 AND width = $2 AND bucket = $3", tx.Tenant, widths[level], s.bucket)
			return nil
		}, "what was sold from %d on for %d µs is not what is stored of it", s.bucket, widths[level])
	}
	return lines, nil
}

// readBlock reads the block of a bucket, if it is valid.
func readBlock(tx *db.Tx, level int, s state) (kept map[item]Sum, holds bool, err error) {
	kept = map[item]Sum{}
	err = tx.Each(func(r db.Rows) error {
		var body []byte
		if err := r.Scan(&body); err != nil {
			return err
		}
		holds = true
		return decode(body, into(kept))
	}, "SELECT body FROM sales_blocks WHERE tenant_id = $1 AND width = $2 AND bucket = $3 AND version = $4", tx.Tenant, widths[level],
		s.bucket,
		s.version)
	return kept, holds, err
}

// equal reports whether two sums are the same, however their amounts are split.
func (s Sum) equal(other Sum) bool { return s.compare(other) == 0 }

// into adds sums to a map.
func into(sums map[item]Sum) sold {
	return func(i item, s Sum) {
		sum := sums[i]
		sum.add(s)
		sums[i] = sum
	}
}
