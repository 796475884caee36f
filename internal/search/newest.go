package search

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/db"
)

// Newest finds the records with the highest ids that contain a term, highest first, up to a limit. It reads the newest
// blocks until it has these records, so a term that many records contain costs little, however many there are. wanted
// says by a record's sort value whether it counts; nil counts all.
func Newest(tx *db.Tx, kind Kind, term string, most int, wanted func(sort int64) bool) ([]ID, error) {
	term = Fold(term)
	n := &newest{tx: tx, kind: kind, term: []byte(term), wanted: wanted, page: Page{Limit: most}}
	chosen := prefetchCandidates(tx, kind, term)
	var err error
	n.loose, err = unpacked(tx, kind, func(e entry) error {
		if !strings.Contains(e.text, term) {
			return nil
		}
		return n.add(e.id, e.sort)
	})
	if err != nil {
		return nil, err
	}
	some, all, err := chosen()
	switch {
	case err != nil:
	case all:
		err = n.readAll()
	default:
		err = n.read(some)
	}
	var ids []ID
	for _, h := range n.page.Hits() {
		ids = append(ids, h.ID)
	}
	return ids, err
}

// newest is the state of one such search.
type newest struct {
	tx     *db.Tx
	kind   Kind
	term   []byte
	wanted func(sort int64) bool
	loose  map[ID]bool // records for which blocks do not count
	page   Page
	lowest string // the first id of the oldest block read so far; "" before the first

	body, keys db.Buffer
}

func (n *newest) add(id ID, sort int64) error {
	if n.wanted == nil || n.wanted(sort) {
		n.page.Add(Hit{ID: id})
	}
	return nil
}

// look searches some parts of a block.
func (n *newest) look(parts uint16) error {
	return matchesIn(parts, n.body, n.keys, n.term, func(id ID, sort int64) error {
		if n.loose[id] {
			return nil
		}
		return n.add(id, sort)
	})
}

// enough reports whether older blocks can change nothing. Records that changed and are not packed again may be older
// than all blocks.
func (n *newest) enough() bool {
	hits := n.page.Hits()
	return n.lowest != "" && len(hits) == n.page.Limit && hits[len(hits)-1].ID.String() >= n.lowest
}

const (
	allParts  = 1<<blockParts - 1 // of a block
	firstRead = 2                 // blocks: each next statement reads twice as many as the one before, up to blocksRead
)

// readAll reads all blocks, newest first, until there are enough records.
func (n *newest) readAll() error {
	for size := firstRead; ; size = min(2*size, blocksRead) {
		w := db.NewWhere(n.tx, "b").And("b.kind = ?", string(n.kind))
		if n.lowest != "" {
			w.And("b.first_id < ?::UUID", n.lowest)
		}
		read := 0
		page := " ORDER BY b.first_id DESC LIMIT " + w.Bind(size)
		err := n.tx.Each(func(r db.Rows) error {
			var first string
			if err := r.Scan(&first, &n.body, &n.keys); err != nil {
				return err
			}
			read, n.lowest = read+1, first
			return n.look(allParts)
		}, "SELECT b.first_id, b.body, b.keys FROM search_blocks b WHERE "+w.String()+page, w.Args()...)
		if err != nil || read < size || n.enough() {
			return err
		}
	}
}

// candidate is a block that may contain the term, and in which of its parts.
type candidate struct {
	first string
	parts uint16
}

// read reads some blocks, newest first, until there are enough records.
func (n *newest) read(some candidates) error {
	list, err := n.named(some)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(b.first, a.first) })
	for size := firstRead; len(list) > 0 && err == nil && !n.enough(); size = min(2*size, blocksRead) {
		parts := map[string]uint16{}
		var firsts []string
		for _, b := range list[:min(size, len(list))] {
			parts[b.first] = b.parts
			firsts = append(firsts, b.first)
		}
		list = list[len(firsts):]
		args := append([]any{n.tx.Tenant, string(n.kind)}, db.Padded(firsts)...)
		err = n.tx.Each(func(r db.Rows) error {
			var first string
			if err := r.Scan(&first, &n.body, &n.keys); err != nil {
				return err
			}
			return n.look(parts[first])
		}, "SELECT first_id, body, keys FROM search_blocks WHERE tenant_id = $1 AND kind = $2 AND first_id IN "+db.In(len(args)-2, 3), args...)
		n.lowest = firsts[len(firsts)-1]
	}
	return err
}

// named reads the first ids of candidates that are known by their places.
func (n *newest) named(some candidates) (list []candidate, err error) {
	for _, first := range some.first {
		list = append(list, candidate{first, allParts})
	}
	parts := map[int64]uint16{}
	var places []int64
	for _, p := range some.places {
		parts[p.place] = p.parts
		places = append(places, p.place)
	}
	return list, db.Chunks(places, func(piece []int64) error {
		args := append([]any{n.tx.Tenant, string(n.kind)}, db.Padded(piece)...)
		return n.tx.Each(func(r db.Rows) error {
			var place int64
			var b candidate
			err := r.Scan(&place, &b.first)
			b.parts = parts[place]
			list = append(list, b)
			return err
		}, "SELECT place, first_id FROM search_places WHERE tenant_id = $1 AND kind = $2 AND place IN "+db.In(len(args)-2, 3), args...)
	})
}
