package catalog

import (
	"cmp"
	"slices"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// readReferences finds the categories that drafts name, by externalId or id.
func (k *Lookup) readReferences(tx *db.Tx, drafts []Draft) error {
	var names, ids []string
	seen := map[string]bool{}
	for i := range drafts {
		for _, reference := range drafts[i].Categories.Value {
			if seen[reference] {
				continue
			}
			seen[reference] = true
			names = append(names, reference)
			if parsed, ok := id.Parse[string](reference); ok {
				ids = append(ids, parsed)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	const byID, byExternal = "SELECT id FROM categories WHERE tenant_id = $1 AND deleted_at IS NULL AND id IN ",
		"SELECT external_id, id FROM categories WHERE tenant_id = $1 AND deleted_at IS NULL AND external_id IN "
	here := map[id.Category]bool{}
	err := each(tx, ids, &referenceIDsText, byID, "", func(r db.Rows) error {
		var category id.Category
		err := r.Scan((*string)(&category))
		here[category] = true
		return err
	})
	if err != nil {
		return err
	}
	for _, reference := range names {
		if parsed, ok := id.Parse[id.Category](reference); ok && here[parsed] {
			k.references[reference] = parsed
		}
	}
	return each(tx, names, &referencesText, byExternal, "", func(r db.Rows) error {
		var external string
		var category id.Category
		err := r.Scan(&external, (*string)(&category))
		k.references[external] = category
		return err
	})
}

var referenceIDsText, memberOfText, referencesText, waitingText, linkWaitingText, linkedText, dropTwiceText, touchText db.Text

// Touched is a product whose categories change because a category was created or deleted.
type Touched struct {
	ID   id.Product
	SKU  string
	Name string
	was  int64

	references []string // of the links that were found
	in         []id.Category
}

// countedMembers is the name of the kept counts of the products in categories, by category.
const countedMembers = "category members"

// countLinks adds a product to the kept counts of the categories that it is in (n 1) or takes it out of them (-1).
func countLinks(tx db.GuardedWriter, links []Link, n int64) {
	for _, l := range links {
		if l.Category != "" {
			tx.Tally(countedMembers, string(l.Category), n)
		}
	}
}

// Waiting finds the products with links that wait for one of the externalIds, and the categories that they are in.
func Waiting(tx *db.Tx, externals []string) ([]Touched, error) {
	list, err := touched(tx, externals, &waitingText, "l.category_id IS NULL AND l.reference")
	if err != nil {
		return nil, err
	}
	at := make(map[id.Product]*Touched, len(list))
	ids := make([]id.Product, len(list))
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
	}
	const head = "SELECT product_id, category_id FROM product_categories WHERE tenant_id = $1 AND category_id IS NOT NULL AND product_id IN "
	return list, each(tx, ids, &memberOfText, head, "", func(r db.Rows) error {
		var product id.Product
		var category id.Category
		err := r.Scan((*string)(&product), (*string)(&category))
		at[product].in = append(at[product].in, category)
		return err
	})
}

// Linked finds the products in a category.
func Linked(tx *db.Tx, category id.Category) ([]Touched, error) {
	return touched(tx, []string{string(category)}, &linkedText, "l.category_id")
}

// touched reads the products by SKU, so that both engines put them into the feed and the events in one order.
func touched(tx *db.Tx, keys []string, text *db.Text, column string) (list []Touched, err error) {
	seen := map[id.Product]int{}
	err = each(tx, keys, text, `SELECT p.id, p.sku, p.name, p.changed_at, l.reference
		FROM product_categories l JOIN products p ON p.tenant_id = $1 AND p.id = l.product_id
		WHERE l.tenant_id = $1 AND p.deleted_at IS NULL AND `+column+` IN `, "", func(r db.Rows) error {
		var t Touched
		var reference string
		if err := r.Scan((*string)(&t.ID), &t.SKU, &t.Name, &t.was, &reference); err != nil {
			return err
		}
		at, found := seen[t.ID]
		if !found {
			at = len(list)
			seen[t.ID], list = at, append(list, t)
		}
		list[at].references = append(list[at].references, reference)
		return nil
	})
	slices.SortFunc(list, func(a, b Touched) int { return cmp.Compare(a.SKU, b.SKU) })
	return list, err
}

// Arrive links products to categories that now exist; the products get a new place in the feed. A product that is in such a category
// already, because that was renamed, keeps one link to it. The statements name the products: by the reference alone SQLite would go
// through all links of the account for each category.
func Arrive(tx db.Writer, categories []Category, products []Touched) {
	arrived := make(map[string]id.Category, len(categories))
	for _, c := range categories {
		arrived[c.ExternalID] = c.ID
	}
	var links []linkRow
	for _, p := range products {
		for _, reference := range p.references {
			link := Link{reference, arrived[reference]}
			links = append(links, linkRow{p.ID, 0, link})
			if !slices.Contains(p.in, link.Category) {
				countLinks(tx, []Link{link}, 1)
			}
		}
	}
	db.Chunks(links, func(piece []linkRow) error {
		args := []any{tx.TenantID()}
		for i := range piece {
			args = append(args, string(piece[i].product), piece[i].Reference, string(piece[i].Category))
		}
		tx.Change(linkWaitingText.For(len(piece), func(n int) string {
			return `WITH v(product, reference, category) AS (VALUES ` + db.Values(n, 3, 2, "::UUID", "::TEXT", "::UUID") + `)
				UPDATE product_categories SET category_id = v.category
				FROM v WHERE product_categories.tenant_id = $1 AND product_categories.product_id = v.product
					AND product_categories.reference = v.reference AND product_categories.category_id IS NULL`
		}), args...)
		return nil
	})
	db.Chunks(products, func(piece []Touched) error {
		args := []any{tx.TenantID()}
		for i := range piece {
			args = append(args, string(piece[i].ID))
		}
		tx.Change(dropTwiceText.For(len(piece), func(n int) string {
			return `DELETE FROM product_categories WHERE tenant_id = $1 AND product_id IN ` + db.In(n, 2) + `
				AND EXISTS (SELECT 1 FROM product_categories o WHERE o.tenant_id = $1 AND o.product_id = product_categories.product_id
					AND o.category_id = product_categories.category_id AND o.position < product_categories.position)`
		}), args...)
		return nil
	})
	touch(tx, products)
}

// Leave removes products from a category that is deleted; the links wait for a new category with the same externalId, also those
// that named the category by its id or by an earlier externalId.
func Leave(tx db.Writer, gone Category, products []Touched) {
	tx.Change(`UPDATE product_categories SET category_id = NULL, reference = CASE WHEN $3::TEXT = '' THEN reference ELSE $3::TEXT END
		WHERE tenant_id = $1 AND category_id = $2`, tx.TenantID(), gone.ID, gone.ExternalID)
	db.DropTally(tx, countedMembers, string(gone.ID))
	touch(tx, products)
}

// touch stamps products whose links were changed and counts their links again.
func touch(tx db.Writer, list []Touched) {
	stamp := stamps(tx, len(list))
	db.Chunks(list, func(piece []Touched) error {
		args := []any{tx.TenantID(), tx.Micros()}
		for i := range piece {
			args = append(args, string(piece[i].ID), piece[i].was, stamp())
		}
		tx.Change(touchText.For(len(piece), func(n int) string {
			return `WITH v(id, was, at) AS (VALUES ` + db.Values(n, 3, 3, "::UUID", "::BIGINT", "::BIGINT") + `)
				UPDATE products SET updated_at = $2, changed_at = ` + db.Clock + ` + v.at, category_count = (SELECT count(*)
					FROM product_categories l WHERE l.tenant_id = $1 AND l.product_id = products.id)
				FROM v WHERE products.tenant_id = $1 AND products.id = v.id AND products.changed_at = v.was AND products.deleted_at IS NULL`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}
