package verify

import (
	"hash/fnv"
	"strconv"

	"entrepot/internal/db"
	"entrepot/internal/search"
)

// searchedRows are the records that searches cover: ids, sort values of their lists, and texts.
var searchedRows = map[search.Kind]string{
	search.Orders:    "SELECT id, created_at, search FROM orders WHERE tenant_id = $1",
	search.Products:  "SELECT id, 0::BIGINT, search FROM products WHERE tenant_id = $1 AND deleted_at IS NULL",
	search.Customers: "SELECT id, CASE status WHEN 'secondary' THEN 1 ELSE 0 END, search FROM customers WHERE tenant_id = $1",
}

// searched compares the texts that searches use with the records themselves, in parts.
func searched(c *account) error {
	for _, kind := range search.Kinds {
		rows, kept := searchedRows[kind], int64(0)
		if rows == "" {
			continue
		}
		if err := c.Row("SELECT count(*) FROM ("+rows+") AS searched", []any{c.Tenant}, &kept); err != nil {
			return err
		}
		if err := inParts(kept, func(p part) error { return searchedPart(c, kind, rows, p) }); err != nil {
			return err
		}
		err := search.VerifyGroups(c.Tx, kind, func(first string) { c.wrong("the texts of %s from %s on are not all found", kind, first) })
		if err != nil {
			return err
		}
	}
	return nil
}

func searchedPart(c *account, kind search.Kind, rows string, p part) error {
	found := map[string]uint64{}
	err := search.Each(c.Tx, kind, func(id search.ID, sort int64, text string) error {
		name := id.String()
		if _, twice := found[name]; twice {
			c.wrong("%s %s is searched twice", kind, name)
		}
		if p.has(name) {
			found[name] = textHash(sort, text)
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
		c.look()
		if hash, there := found[id]; !there || hash != textHash(sort, search.Fold(text)) {
			c.wrong("%s %s is not searched by what it says", kind, id)
		}
		delete(found, id)
		return nil
	}, rows, c.Tenant)
	for id := range found {
		c.wrong("%s %s is searched and not there", kind, id)
	}
	return err
}

func textHash(sort int64, text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strconv.FormatInt(sort, 10) + " " + text))
	return h.Sum64()
}
