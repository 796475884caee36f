package catalog

import (
	"cmp"
	"errors"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
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

var referenceIDsText, memberOfText, referencesText, linkWaitingText, leaveText, dropTwiceText, touchText db.Text

// Touched is a product whose categories change because a category was created or deleted.
type Touched struct {
	ID   id.Product
	SKU  string
	Name string
	was  int64

	references []string // of the links that were found
	in         []id.Category
}

// countedMembers is the name of the maintained counts of the products in categories, by category.
const countedMembers = "category members"

// countLinks adds a product to the maintained counts of its categories (n 1) or subtracts it (-1).
func countLinks(tx db.Writer, links []Link, n int64) {
	for _, l := range links {
		if l.Category != "" {
			tx.Tally(countedMembers, string(l.Category), n)
		}
	}
}

// Waiting finds products with links that wait for one of the externalIds; more says that it has not read all of these.
func Waiting(tx *db.Tx, externals []string, limit int) (list []Touched, more bool, err error) {
	return touched(tx, "l.category_id IS NULL AND l.reference", externals, limit)
}

// Linked finds products in a category; more says that it has not read all of these.
func Linked(tx *db.Tx, category id.Category, limit int) (list []Touched, more bool, err error) {
	return touched(tx, "l.category_id", []string{string(category)}, limit)
}

// Awaited returns the externalIds for which products or categories wait.
func Awaited(tx *db.Tx, externals []string) (list []string, err error) {
	return list, db.Chunks(externals, func(piece []string) error {
		return tx.Each(func(r db.Rows) error {
			var external string
			err := r.Scan(&external)
			list = append(list, external)
			return err
		}, `WITH v(external) AS (VALUES `+db.Values(len(piece), 1, 2, "::TEXT")+`)
			SELECT external FROM v WHERE EXISTS (SELECT 1 FROM product_categories l
				WHERE l.tenant_id = $1 AND l.category_id IS NULL AND l.reference = v.external)
			OR EXISTS (SELECT 1 FROM categories c WHERE c.tenant_id = $1 AND c.deleted_at IS NULL AND c.parent_id IS NULL
				AND c.parent_external_id = v.external)`,
			append([]any{tx.Tenant}, db.Args(piece)...)...)
	})
}

// touched reads the products by SKU, so that both engines put them into the feed and the events in one order. limit
// applies to the links that one statement finds.
func touched(tx *db.Tx, column string, keys []string, limit int) (list []Touched, more bool, err error) {
	at := map[id.Product]int{}
	err = db.Chunks(keys, func(piece []string) error {
		these, links := db.Padded(piece), 0
		return tx.Each(func(r db.Rows) error {
			if links++; links > limit {
				more = true
				return nil
			}
			var t Touched
			var reference string
			if err := r.Scan((*string)(&t.ID), &t.SKU, &t.Name, &t.was, &reference); err != nil {
				return err
			}
			if _, found := at[t.ID]; !found {
				at[t.ID], list = len(list), append(list, t)
			}
			of := &list[at[t.ID]]
			of.references = append(of.references, reference)
			return nil
		}, `SELECT p.id, p.sku, p.name, p.changed_at, l.reference
			FROM product_categories l JOIN products p ON p.tenant_id = $1 AND p.id = l.product_id
			WHERE l.tenant_id = $1 AND p.deleted_at IS NULL AND `+column+` IN `+db.In(len(these), 3)+` LIMIT $2::BIGINT`,
			append([]any{tx.Tenant, limit + 1}, these...)...)
	})
	if err != nil {
		return nil, false, err
	}
	ids := make([]id.Product, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	err = each(tx, ids, &memberOfText, "SELECT product_id, category_id FROM product_categories WHERE tenant_id = $1 AND product_id IN ", "",
		func(r db.Rows) error {
			var product id.Product
			var category id.Category
			err := r.Scan((*string)(&product), db.Opt((*string)(&category)))
			if of := &list[at[product]]; category != "" {
				of.in = append(of.in, category)
			}
			return err
		})
	slices.SortFunc(list, func(a, b Touched) int { return cmp.Compare(a.SKU, b.SKU) })
	return list, more, err
}

// ArriveSome links at most limit products that wait for a category to it, and returns them: none if the category no
// longer exists.
func ArriveSome(tx *db.Tx, category id.Category, limit int) ([]Touched, error) {
	c, err := Stored(tx, category)
	if err != nil || c == nil || c.DeletedAt != 0 || c.ExternalID == "" {
		return nil, err
	}
	products, _, err := Waiting(tx, []string{c.ExternalID}, limit)
	Arrive(tx, []Category{*c}, products)
	return products, err
}

// LeaveSome takes at most limit products out of a deleted category, and returns them. If another category has its
// externalId by now, the products are linked to that one.
func LeaveSome(tx *db.Tx, category id.Category, limit int) ([]Touched, error) {
	gone, err := Stored(tx, category)
	if err != nil || gone == nil {
		return nil, err
	}
	products, _, err := Linked(tx, category, limit)
	if err != nil || len(products) == 0 {
		return nil, err
	}
	var heir id.Category
	err = tx.Row("SELECT id FROM categories WHERE tenant_id = $1 AND external_id = $2 AND deleted_at IS NULL",
		[]any{tx.Tenant, gone.ExternalID}, &heir)
	if err != nil && !errors.Is(err, db.ErrNoRow) {
		return nil, err
	}
	leave(tx, *gone, heir, products)
	return products, nil
}

// Arrive links products to categories that now exist; the products get a new position in the feed. A product that is
// already in such a category, because the category was renamed, keeps one link to it. The statements name the products:
// by the reference alone SQLite would go through all links of the account for each category.
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
	dropTwice(tx, products)
	touch(tx, products)
}

// dropTwice deletes links of products to a category that an earlier link names.
func dropTwice(tx db.Writer, products []Touched) {
	db.Chunks(products, func(piece []Touched) error {
		tx.Change(dropTwiceText.For(len(piece), func(n int) string {
			return `DELETE FROM product_categories WHERE tenant_id = $1 AND product_id IN ` + db.In(n, 2) + `
				AND EXISTS (SELECT 1 FROM product_categories o WHERE o.tenant_id = $1 AND o.product_id = product_categories.product_id
					AND o.category_id = product_categories.category_id AND o.position < product_categories.position)`
		}), append([]any{tx.TenantID()}, idsOf(piece)...)...)
		return nil
	})
}

func idsOf(list []Touched) []any {
	ids := make([]any, len(list))
	for i := range list {
		ids[i] = string(list[i].ID)
	}
	return ids
}

// Leave removes products from a category that is deleted; the links wait for a new category with the same externalId, also those
// that named the category by its id or by an earlier externalId.
func Leave(tx db.Writer, gone Category, products []Touched) { leave(tx, gone, "", products) }

// leave is Leave with the category that has the externalId by now, "" for none.
func leave(tx db.Writer, gone Category, heir id.Category, products []Touched) {
	db.Chunks(products, func(piece []Touched) error {
		head := []any{tx.TenantID(), gone.ID, db.Null(heir), gone.ExternalID}
		tx.Change(leaveText.For(len(piece), func(n int) string {
			return `UPDATE product_categories SET category_id = $3::UUID, reference = CASE WHEN $4::TEXT = '' THEN reference ELSE $4::TEXT END
				WHERE tenant_id = $1 AND product_id IN ` + db.In(n, 5) + ` AND ` + db.Unindexed("category_id = $2::UUID")
		}), append(head, idsOf(piece)...)...)
		return nil
	})
	for _, p := range products {
		moved := []Link{{Category: gone.ID}}
		countLinks(tx, moved, -1)
		if moved[0].Category = heir; !slices.Contains(p.in, heir) {
			countLinks(tx, moved, 1)
		}
	}
	if heir != "" {
		dropTwice(tx, products)
	}
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
