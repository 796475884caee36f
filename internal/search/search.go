// Package search finds records by a part of their text, in any case and of any length, exactly: the result and its
// total are those of examining every record.
//
//	search.go  Put and Find
//	set.go     what is found, as a set that other conditions narrow
//	newest.go  the newest records that contain a term
//	logged.go  new orders and customers, which are found in the event log
//	block.go   the packed texts of a thousand records
//	group.go   which of 32 blocks may contain a term
//	pack.go    moves changed and new texts into blocks, and removes erased texts from them
//	view.go    the views that do so (package view)
//
// The text of a changed record, or of a new product, is stored unpacked by the write, after the change clock; new
// orders and customers are in the event log. The worker packs both into blocks, and blocks into groups. A search reads which
// parts of blocks may contain the term's trigrams, then the blocks that may contain the whole term, and what is not packed
// yet. So a rare name costs a few blocks, and a term that every record contains costs some 60 bytes for each record.
package search

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"entrepot/internal/db"
)

// Kind is a kind of records: each has its own ids.
type Kind string

// The kinds.
const (
	Orders    Kind = "order"
	Customers Kind = "customer"
	Products  Kind = "product"
	// Categories have no column for searches: what a migration stored of them is folded when it is read.
	Categories Kind = "category"
)

// Kinds lists them.
var Kinds = []Kind{Orders, Customers, Products, Categories}

// Folded returns a text of the kind's rows as blocks have it.
func (k Kind) Folded(text string) string {
	if k == Categories {
		return Fold(text)
	}
	return oneLine.Replace(text)
}

// Document is the text by which a record is found.
type Document struct {
	ID   string // a UUID
	Sort int64  // the value that its lists sort by before the id; 0 if that is the id
	Text string // "" for a deleted record
}

// Fold normalises texts and terms for comparison: lower case, composed accents, and one line. The nouns' columns for
// searches have folded texts.
func Fold(text string) string { return oneLine.Replace(norm.NFC.String(strings.ToLower(text))) }

// oneLine converts the text of a column to its form in blocks.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

// Put queues the texts of records that were written in this transaction; the guards of their rows protect these writes too.
// They are written in the order of their ids, in which Pack takes them: on PostgreSQL the two would deadlock otherwise.
func Put(w db.Writer, kind Kind, docs ...Document) {
	if len(docs) > 1 {
		docs = slices.SortedStableFunc(slices.Values(docs), func(a, b Document) int { return strings.Compare(a.ID, b.ID) })
	}
	db.Chunks(docs, func(piece []Document) error {
		args := append(make([]any, 0, 2+3*len(piece)), w.TenantID(), string(kind))
		for i := range piece {
			args = append(args, piece[i].ID, piece[i].Sort, Fold(piece[i].Text))
		}
		w.Change(putText.For(len(piece), func(n int) string {
			return "INSERT INTO search_loose (tenant_id, kind, id, sort, text, version) VALUES " + db.Repeat(n, 3, "($1,$2,$,$,$,0)") +
				" ON CONFLICT (tenant_id, kind, id) DO UPDATE SET sort = excluded.sort, text = excluded.text, version = search_loose.version + 1"
		}), args...)
		return nil
	})
}

var putText db.Text

// Renew queues that searches find a record by its present row, or no longer find it if there is none. rows is the
// statement that reads the id, the sort value and the text of every record of an account, $1, as id, sort and text. All
// texts are put after the change clock, so no newer text is lost.
func Renew(w db.Writer, kind Kind, rows, id string) {
	w.Change("INSERT INTO search_loose (tenant_id, kind, id, sort, text, version) SELECT $1::BIGINT, $2::TEXT, $3::UUID, "+
		"coalesce(max(r.sort), 0), coalesce(max(r.text), ''), 0 FROM ("+rows+" AND id = $3::UUID) AS r WHERE TRUE"+
		" ON CONFLICT (tenant_id, kind, id) DO UPDATE SET sort = excluded.sort, text = excluded.text, version = search_loose.version + 1",
		w.TenantID(), string(kind), id)
}

// Find calls each for every record that contains a term, in no order. Very many records come roughly newest first, the
// order of most lists: a page then stores the first that it gets.
func Find(tx *db.Tx, kind Kind, term string, each func(id ID, sort int64) error) error {
	return find(tx, kind, term, "DESC", each)
}

// find is Find with the order of the blocks if all of them are read; the records that are not packed come last.
func find(tx *db.Tx, kind Kind, term, order string, each func(id ID, sort int64) error) error {
	term = Fold(term)
	chosen := prefetchCandidates(tx, kind, term)
	var put []entry
	loose, err := unpacked(tx, kind, func(e entry) error {
		if strings.Contains(e.text, term) {
			put = append(put, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	some, all, err := chosen()
	if err != nil {
		return err
	}
	var body, keys db.Buffer
	wanted := []byte(term)
	packed := func(id ID, sort int64) error {
		if len(loose) > 0 && loose[id] {
			return nil
		}
		return each(id, sort)
	}
	read := func(r db.Rows) error {
		if err := r.Scan(&body, &keys); err != nil {
			return err
		}
		return matches(body, keys, wanted, packed)
	}
	const blocks = "SELECT body, keys FROM search_blocks WHERE tenant_id = $1 AND kind = $2"
	if all {
		err = tx.Each(read, blocks+" ORDER BY first_id "+order, tx.Tenant, string(kind))
		some = candidates{}
	}
	for len(some.first) > 0 && err == nil {
		piece := some.first[:min(blocksRead, len(some.first))]
		some.first = some.first[len(piece):]
		args := append([]any{tx.Tenant, string(kind)}, db.Padded(piece)...)
		err = tx.Each(read, blocks+" AND first_id IN "+db.In(len(args)-2, 3), args...)
	}
	for len(some.places) > 0 && err == nil {
		parts := map[int64]uint16{}
		var places []int64
		for _, p := range some.places[:min(blocksRead, len(some.places))] {
			parts[p.place] = p.parts
			places = append(places, p.place)
		}
		some.places = some.places[len(places):]
		args := append([]any{tx.Tenant, string(kind)}, db.Padded(places)...)
		err = tx.Each(func(r db.Rows) error {
			var place int64
			if err := r.Scan(&place, &body, &keys); err != nil {
				return err
			}
			return matchesIn(parts[place], body, keys, wanted, packed)
		}, `SELECT p.place, b.body, b.keys FROM search_places p CROSS JOIN search_blocks b
			WHERE p.tenant_id = $1 AND p.kind = $2 AND b.tenant_id = $1 AND b.kind = $2 AND b.first_id = p.first_id AND p.place IN `+
			db.In(len(args)-2, 3), args...)
	}
	for i := 0; i < len(put) && err == nil; i++ {
		err = each(put[i].id, put[i].sort)
	}
	return err
}

// blocksRead is how many blocks one statement reads.
const blocksRead = 16

// Each calls each for every record of a kind, in no order.
func Each(tx *db.Tx, kind Kind, each func(id ID, sort int64, text string) error) error {
	found, err := prefetchLogged(tx, kind).Wait()
	if err != nil {
		return err
	}
	loose := make(map[ID]bool, len(found))
	once := onceEach(loose, func(e entry) error { return each(e.id, e.sort, e.text) })
	if err := eachRecord(tx, kind, found, once); err != nil {
		return err
	}
	scan, sql := looseRows(kind)
	err = tx.Each(func(r db.Rows) error { // as they come: after a large import there are very many
		e, err := scan(r)
		if err == nil {
			err = once(e)
		}
		return err
	}, sql, tx.Tenant, string(kind))
	if err != nil {
		return err
	}
	return tx.Each(func(r db.Rows) error {
		var body string
		var keys []byte
		err := r.Scan(&body, &keys)
		for _, e := range decode(body, keys) {
			if err == nil && !loose[e.id] {
				err = each(e.id, e.sort, e.text)
			}
		}
		return err
	}, "SELECT body, keys FROM search_blocks WHERE tenant_id = $1 AND kind = $2", tx.Tenant, string(kind))
}

// unpacked calls each for every record that the blocks may not have in its present state, and returns all of these
// records. Their texts in blocks do not count, nor do stored unpacked texts of records that are read from their own
// row.
func unpacked(tx *db.Tx, kind Kind, each func(entry) error) (map[ID]bool, error) {
	fresh := prefetchLogged(tx, kind)
	var put []entry
	scan, sql := looseRows(kind)
	loose := tx.Prefetch(func(r db.Rows) error {
		e, err := scan(r)
		put = append(put, e)
		return err
	}, sql, tx.Tenant, string(kind))
	found, err := fresh.Wait()
	if err == nil {
		err = loose.Wait()
	}
	if err != nil {
		return nil, err
	}
	known := make(map[ID]bool, len(found)+len(put))
	once := onceEach(known, each)
	if err := eachRecord(tx, kind, found, once); err != nil {
		return nil, err
	}
	for _, e := range put {
		if err := once(e); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// looseRows returns the statement that reads the unpacked texts of a kind, and what reads one of its rows.
func looseRows(kind Kind) (scan func(r db.Rows) (entry, error), sql string) {
	return func(r db.Rows) (e entry, err error) {
		var text string
		err = r.Scan(&text, &e.sort, &e.text)
		e.id, e.text = ParseID(text), kind.Folded(e.text)
		return e, err
	}, "SELECT id, sort, text FROM search_loose WHERE tenant_id = $1 AND kind = $2"
}

// onceEach calls each for the first state of a record that it gets, unless that state has no text. It adds the record
// to the known ones.
func onceEach(known map[ID]bool, each func(entry) error) func(entry) error {
	return func(e entry) error {
		if known[e.id] {
			return nil
		}
		known[e.id] = true
		if e.text == "" {
			return nil
		}
		return each(e)
	}
}

// candidates are the blocks that may contain a term: ungrouped blocks by their first id, others by their group and
// number.
type candidates struct {
	first  []string
	places []placed
}

// prefetchCandidates prefetches the blocks that may contain a term; all reports that so many may that all are read.
func prefetchCandidates(tx *db.Tx, kind Kind, term string) func() (some candidates, all bool, err error) {
	wanted := trigramsOf(term)
	if len(wanted) == 0 {
		return func() (candidates, bool, error) { return candidates{}, true, nil }
	}
	var some candidates
	blocks := 0
	filters := tx.Prefetch(func(r db.Rows) error {
		var id string
		var has filter
		err := r.Scan(&id, (*[]byte)(&has))
		if blocks++; has.all(wanted) {
			some.first = append(some.first, id)
		}
		return err
	}, "SELECT b.first_id, b.filter FROM search_blocks b WHERE b.tenant_id = $1 AND b.kind = $2"+ungrouped, tx.Tenant, string(kind))
	grouped := prefetchPlaces(tx, kind, term)
	return func() (candidates, bool, error) {
		err := filters.Wait()
		if err != nil {
			return some, false, err
		}
		var groups int
		some.places, groups, err = grouped()
		return some, len(some.first)+len(some.places) > (blocks+groups*groupSize)/2, err
	}
}
