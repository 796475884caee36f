package sales

import (
	"maps"

	"entrepot/internal/db"
	"entrepot/internal/spans"
)

// Verify calls each for every valid block, with whether it equals the sums of the lines.
func Verify(tx *db.Tx, each func(width, bucket int64, same bool)) error {
	for level, width := range widths {
		list, err := states(tx, level, 0, spans.Last)
		if err != nil {
			return err
		}
		for _, s := range list {
			kept, holds, err := readBlock(tx, level, s)
			if err != nil {
				return err
			}
			if !holds {
				continue
			}
			lines := map[item]Sum{}
			if _, err := collect(tx, s.bucket, s.bucket+width, -1, into(lines)); err != nil {
				return err
			}
			each(width, s.bucket, maps.EqualFunc(kept, lines, Sum.equal))
		}
	}
	return nil
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
