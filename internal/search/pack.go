package search

import (
	"bytes"
	"slices"

	"entrepot/internal/db"
)

// blockSize is the number of records of a new block; a block has at most half as many again. Tests lower it.
var blockSize = 1024

// looseRow is an unpacked document.
type looseRow struct {
	entry
	version int64
}

// packSome packs the documents with the lowest ids, as many as one transaction should, and returns how many: none if there are fewer than
// least.
func packSome(tx *db.Tx, kind Kind, least int) (int, error) {
	waiting, err := db.List(tx, func(r db.Rows) (l looseRow, err error) {
		var text string
		err = r.Scan(&text, &l.sort, &l.text, &l.version)
		l.id, l.text = ParseID(text), kind.Folded(l.text)
		return l, err
	}, "SELECT id, sort, text, version FROM search_loose WHERE tenant_id = $1 AND kind = $2 ORDER BY id LIMIT $3::BIGINT", tx.Tenant,
		string(kind), max(packStep, least))
	if err != nil || len(waiting) < max(1, least) {
		return 0, err
	}
	done, err := place(tx, kind, waiting[:min(packStep, len(waiting))], packReach)
	forget(tx, kind, waiting[:done])
	return done, err
}

// place writes documents, sorted by id, into their blocks, until it has written enough blocks, and returns how many
// documents it has written.
func place(tx *db.Tx, kind Kind, docs []looseRow, blocks int) (done int, err error) {
	for ; done < len(docs) && blocks > 0; blocks-- {
		b, err := readBlock(tx, kind, docs[done].id)
		if err != nil {
			return 0, err
		}
		end := done
		for end < len(docs) && b.covers(docs[end].id) {
			end++
		}
		b.merge(docs[done:end])
		b.write(tx, kind)
		done = end
	}
	return done, nil
}

// forget queues the deletion of packed documents. A document that was written again meanwhile stays: searches use its
// text and not the block's, and the next packing replaces the text in the block.
func forget(tx *db.Tx, kind Kind, taken []looseRow) {
	byVersion := map[int64][]string{}
	for i := range taken {
		byVersion[taken[i].version] = append(byVersion[taken[i].version], taken[i].id.String())
	}
	for version, ids := range byVersion {
		if len(ids) >= forgetRange { // one statement: if another document came between them meanwhile, all runs again
			tx.Queue("DELETE FROM search_loose WHERE tenant_id = $1 AND kind = $2 AND id >= $3::UUID AND id <= $4::UUID AND version = $5",
				tx.Tenant, string(kind), ids[0], ids[len(ids)-1], version).Rows(int64(len(ids)), nil)
			continue
		}
		db.Chunks(ids, func(piece []string) error {
			args := append(make([]any, 0, 3+len(piece)), tx.Tenant, string(kind), version)
			for _, id := range piece {
				args = append(args, id)
			}
			tx.Queue(forgetText.For(len(piece), func(n int) string {
				return "DELETE FROM search_loose WHERE tenant_id = $1 AND kind = $2 AND version = $3 AND id IN " + db.In(n, 4)
			}), args...)
			return nil
		})
	}
}

var forgetText db.Text

// forgetRange is the number of documents from which they are deleted as a range of ids.
const forgetRange = 256

// block is a block that is being rewritten.
type block struct {
	first string // "" if it does not exist yet
	next  ID     // where the next block begins
	last  bool   // there is no next block
	list  []entry
}

// readBlock reads the block of a document: the last one that begins at its id or before, else the first.
func readBlock(tx *db.Tx, kind Kind, of ID) (*block, error) {
	b := &block{last: true}
	read := func(where, order string) error {
		return tx.Each(func(r db.Rows) error {
			var body string
			var keys []byte
			if err := r.Scan(&b.first, &body, &keys); err != nil {
				return err
			}
			b.list = decode(body, keys)
			return nil
		}, "SELECT first_id, body, keys FROM search_blocks WHERE tenant_id = $1 AND kind = $2 AND first_id "+where+
			" $3::UUID ORDER BY first_id "+order+" LIMIT 1",
			tx.Tenant, string(kind), of.String())
	}
	if err := read("<=", "DESC"); err != nil {
		return nil, err
	}
	if b.first == "" {
		if err := read(">", "ASC"); err != nil {
			return nil, err
		}
	}
	if b.first == "" {
		return b, nil
	}
	return b, tx.Each(func(r db.Rows) error {
		var next string
		err := r.Scan(&next)
		b.next, b.last = ParseID(next), false
		return err
	}, "SELECT first_id FROM search_blocks WHERE tenant_id = $1 AND kind = $2 AND first_id > $3::UUID ORDER BY first_id LIMIT 1", tx.Tenant,
		string(kind), b.first)
}

// covers reports whether the document of an id, not lower than the one that the block was read for, belongs to the block.
func (b *block) covers(id ID) bool { return b.last || bytes.Compare(id[:], b.next[:]) < 0 }

// merge replaces entries by documents with the same ids; deleted records lose their entry.
func (b *block) merge(docs []looseRow) {
	merged := make([]entry, 0, len(b.list)+len(docs))
	old := b.list
	for i := range docs {
		for len(old) > 0 && bytes.Compare(old[0].id[:], docs[i].id[:]) < 0 {
			merged, old = append(merged, old[0]), old[1:]
		}
		if len(old) > 0 && old[0].id == docs[i].id {
			old = old[1:]
		}
		if docs[i].text != "" {
			merged = append(merged, docs[i].entry)
		}
	}
	b.list = append(merged, old...)
}

// write queues the block in place of the old one, divided if it has grown.
func (b *block) write(tx *db.Tx, kind Kind) {
	if b.first != "" {
		tx.Queue("DELETE FROM search_blocks WHERE tenant_id = $1 AND kind = $2 AND first_id = $3::UUID", tx.Tenant, string(kind),
			b.first).Rows(1, nil)
		tx.Queue("DELETE FROM search_places WHERE tenant_id = $1 AND kind = $2 AND first_id = $3::UUID", tx.Tenant, string(kind), b.first)
	}
	for rest := b.list; len(rest) > 0; {
		n := len(rest)
		if n > 3*blockSize/2 {
			n = blockSize
		}
		has, body, keys := encode(rest[:n])
		tx.Queue("INSERT INTO search_blocks (tenant_id, kind, first_id, filter, body, keys) VALUES ($1,$2,$3,$4,$5,$6)", tx.Tenant, string(kind),
			rest[0].id.String(),
			[]byte(has), body, keys)
		rest = rest[n:]
	}
}

// Erase removes the texts of some records from the blocks in this transaction, so that nothing of them stays in the
// store; their present texts are stored unpacked.
func Erase(tx *db.Tx, kind Kind, ids []string) error {
	if err := Blocks[kind].Lock(tx); err != nil {
		return err
	}
	gone := make([]ID, len(ids))
	for i := range ids {
		gone[i] = ParseID(ids[i])
	}
	slices.SortFunc(gone, func(a, b ID) int { return bytes.Compare(a[:], b[:]) })
	for len(gone) > 0 {
		b, err := readBlock(tx, kind, gone[0])
		if err != nil {
			return err
		}
		n := 0
		for n < len(gone) && b.covers(gone[n]) {
			n++
		}
		before := len(b.list)
		b.list = slices.DeleteFunc(b.list, func(e entry) bool {
			_, found := slices.BinarySearchFunc(gone[:n], e.id, func(a, b ID) int { return bytes.Compare(a[:], b[:]) })
			return found
		})
		if len(b.list) < before {
			b.write(tx, kind)
		}
		gone = gone[n:]
	}
	return nil
}

// Remove removes records that are deleted in this transaction from everything that is searched.
func Remove(tx *db.Tx, kind Kind, ids []string) error {
	if err := Erase(tx, kind, ids); err != nil {
		return err
	}
	return db.Chunks(ids, func(piece []string) error {
		args := append(make([]any, 0, 2+len(piece)), tx.Tenant, string(kind))
		for _, id := range piece {
			args = append(args, id)
		}
		tx.Queue("DELETE FROM search_loose WHERE tenant_id = $1 AND kind = $2 AND id IN "+db.In(len(piece), 3), args...)
		return nil
	})
}
