package verify

import (
	"encoding/binary"
	"hash/fnv"

	"entrepot/internal/db"
	"entrepot/internal/search"
)

// searchedRows are the records that searches cover: ids, sort values of their lists, and texts.
var searchedRows = map[search.Kind]string{
	search.Orders:    "SELECT id, created_at AS sort, search AS text FROM orders WHERE tenant_id = $1",
	search.Products:  "SELECT id, 0::BIGINT AS sort, search AS text FROM products WHERE tenant_id = $1 AND deleted_at IS NULL",
	search.Customers: "SELECT id, CASE WHEN merged_into IS NULL THEN 0 ELSE 1 END AS sort, search AS text FROM customers WHERE tenant_id = $1",
	search.Categories: "SELECT id, 0::BIGINT AS sort, name || '\t' || slug || '\t' || coalesce(external_id, '') AS text FROM categories " +
		"WHERE tenant_id = $1 AND deleted_at IS NULL",
}

// searched compares the texts that searches use with the records themselves: by the sum of what each comes to, which shows whether there
// is a difference, and then in parts, which tell where.
func searched(c *account) error {
	for _, kind := range search.Kinds {
		rows := searchedRows[kind]
		if rows == "" {
			continue
		}
		var here, there uint64
		kept := int64(0)
		err := c.Each(func(r db.Rows) error {
			var id, text string
			var sort int64
			err := r.Scan(&id, &sort, &text)
			c.look()
			kept++
			here += recordHash(search.ParseID(id), sort, kind.Folded(text))
			return err
		}, rows, c.Tenant)
		if err != nil {
			return err
		}
		err = search.Each(c.Tx, kind, func(id search.ID, sort int64, text string) error {
			there += recordHash(id, sort, text)
			return nil
		})
		if err == nil && here != there {
			err = inParts(kept, func(p part) error { return searchedPart(c, kind, rows, p) })
		}
		if err != nil {
			return err
		}
		err = search.VerifyGroups(c.Tx, kind, func(first string) {
			c.derived(func(tx *db.Tx) error { return search.Ungroup(tx, kind, first) }, "the texts of %s from %s on are not all found", kind, first)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// renew makes searches find a record by what it says, or not at all if it is not there.
func renew(kind search.Kind, rows, of string) correction {
	return func(tx *db.Tx) error {
		search.Renew(tx, kind, rows, of)
		return nil
	}
}

func searchedPart(c *account, kind search.Kind, rows string, p part) error {
	found := map[string]uint64{}
	err := search.Each(c.Tx, kind, func(id search.ID, sort int64, text string) error {
		name := id.String()
		if _, twice := found[name]; twice {
			c.derived(renew(kind, rows, name), "%s %s is searched twice", kind, name)
		}
		if p.has(name) {
			found[name] = recordHash(id, sort, text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = c.Each(func(r db.Rows) error {
		var id, text string
		var sort int64
		if err := r.Scan(&id, &sort, &text); err != nil || !p.has(id) {
			return err
		}
		if hash, there := found[id]; !there || hash != recordHash(search.ParseID(id), sort, kind.Folded(text)) {
			c.derived(renew(kind, rows, id), "%s %s is not searched by what it says", kind, id)
		}
		delete(found, id)
		return nil
	}, rows, c.Tenant)
	for id := range found {
		c.derived(renew(kind, rows, id), "%s %s is searched and not there", kind, id)
	}
	return err
}

// recordHash returns a number that another id, sort value or text of a record would hardly have.
func recordHash(id search.ID, sort int64, text string) uint64 {
	h := fnv.New64a()
	h.Write(id[:])
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(sort)))
	h.Write([]byte(text))
	return h.Sum64()
}
