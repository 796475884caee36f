package stock

import "entrepot/internal/db"

// keyReader reads a value of the rows of many keys. Keys that lie close together are read as a range, including the
// rows between them: reading the next row costs a quarter of looking a row up.
type keyReader struct {
	table string // a table and its alias
	key   string // a column that an index begins with after the account
	value string
	where func(tx *db.Tx) *db.Where

	keys, rows int // keys looked up so far, and rows found for them
	size       int // how many keys the next range has: more after each range that was read
	pause      int // how many lists are read before another range is tried; doubled after a range with too many other rows
	last       int // the previous pause
}

// Keys that are looked up at once or by the first range, and those of the largest range. Tests lower them.
var (
	listKeys  = 256
	rangeKeys = 4096
)

// rangeWaste is how many rows of a range are read for each one that is expected.
const rangeWaste = 2

// each calls found for every row of some keys, which are sorted and different.
func (s *keyReader) each(tx *db.Tx, keys []string, found func(key, value string)) error {
	for len(keys) > 0 {
		if s.keys > 0 && s.pause == 0 && len(keys) >= listKeys {
			piece := keys[:min(max(listKeys, s.size), len(keys))]
			whole, err := s.readRange(tx, piece, found)
			if err != nil {
				return err
			}
			if whole {
				keys, s.last, s.size = keys[len(piece):], 0, min(4*len(piece), rangeKeys)
				continue
			}
			s.last, s.size = max(1, 2*s.last), 0
			s.pause = s.last
		}
		piece := keys[:min(listKeys, len(keys))]
		if err := s.readList(tx, piece, found); err != nil {
			return err
		}
		keys, s.pause = keys[len(piece):], max(0, s.pause-1)
	}
	return nil
}

// readList looks up each key.
func (s *keyReader) readList(tx *db.Tx, keys []string, found func(key, value string)) error {
	s.keys += len(keys)
	w := db.AndIn(s.where(tx), s.key, db.Padded(keys))
	return tx.Each(func(r db.Rows) error {
		var key, value string
		err := r.Scan(&key, &value)
		s.rows++
		found(key, value)
		return err
	}, s.text(w), w.Args()...)
}

// readRange reads all rows from the first key to the last. If there are far more rows than the keys should have,
// readRange stops and finds nothing.
func (s *keyReader) readRange(tx *db.Tx, keys []string, found func(key, value string)) (whole bool, err error) {
	most := rangeWaste * len(keys) * max(1, (s.rows+s.keys-1)/s.keys)
	w := s.where(tx).And(s.key+" >= ?", keys[0]).And(s.key+" <= ?", keys[len(keys)-1])
	limit := " ORDER BY " + s.key + " LIMIT " + w.Bind(most+1)
	type row struct{ key, value string }
	list := make([]row, 0, len(keys))
	read := 0
	var key, value db.Buffer
	err = tx.Each(func(r db.Rows) error {
		read++
		err := r.Scan(&key, &value)
		for len(keys) > 0 && keys[0] < string(key) {
			keys = keys[1:]
		}
		if len(keys) > 0 && keys[0] == string(key) {
			list = append(list, row{keys[0], string(value)})
		}
		return err
	}, s.text(w)+limit, w.Args()...)
	if err != nil || read > most {
		return false, err
	}
	for _, r := range list {
		found(r.key, r.value)
	}
	return true, nil
}

func (s *keyReader) text(w *db.Where) string {
	return "SELECT " + s.key + ", " + s.value + " FROM " + s.table + " WHERE " + w.String()
}
