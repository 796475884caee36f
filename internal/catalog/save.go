package catalog

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
)

// Save queues what changes change: products with their stamps, SKUs, variants and links. If somebody else has changed one
// of them since it was read, or taken a SKU or slug, the operation runs again.
func Save(tx *db.Tx, changes []Change) {
	var fresh, full, priced []*Change
	for i := range changes {
		r := &changes[i]
		switch {
		case r.IsNew():
			fresh = append(fresh, r)
		case len(r.Fields) == 0:
		case r.pricesOnly():
			priced = append(priced, r)
		default:
			full = append(full, r)
		}
	}
	stamp := stamps(tx, len(fresh)+len(full)+len(priced))
	insertProducts(tx, fresh, stamp)
	updateProducts(tx, full, stamp)
	prices := make([]priceRow, 0, len(priced))
	for _, r := range priced {
		prices = append(prices, priceRow{r.After.ID, r.Before.ChangedAt, r.After.Price, r.After.CompareAt, int64(len(r.After.Variants))})
	}
	updatePrices(tx, prices, stamp)
	saveParts(tx, append(append(fresh, full...), priced...))
}

// stamps hands out n stamps of the transaction, one a call.
func stamps(tx *db.Tx, n int) func() int64 {
	next := tx.Stamps(n) - db.StampStep
	return func() int64 {
		next += db.StampStep
		return next
	}
}

// pricesOnly reports whether the short update will do.
func (r *Change) pricesOnly() bool {
	for _, f := range r.Fields {
		if f != "price" && f != "compareAtPrice" && f != "variants" {
			return false
		}
	}
	return true
}

var insertText, updateText, pricesText db.Text

func insertProducts(tx *db.Tx, list []*Change, stamp func() int64) {
	db.Chunks(list, func(piece []*Change) error {
		args := make([]any, 0, 2+14*len(piece))
		args = append(args, tx.Tenant, tx.Micros())
		for _, r := range piece {
			p := &r.After
			args = append(args, string(p.ID), p.SKU, p.Name, p.Slug, p.Description, string(p.Status), int64(p.Price), amount(p.CompareAt), p.Media, p.Attributes,
				p.search(), int64(len(p.Variants)), int64(len(p.Links)), stamp())
		}
		tx.Change(insertText.For(len(piece), func(n int) string {
			return `WITH v(id, sku, name, slug, description, status, price, compare_at, media, attributes, search, variants, links, at) AS (VALUES ` +
				db.Values(n, 14, 3, "::UUID", "::TEXT", "::TEXT", "::TEXT", "::TEXT", "::TEXT", "::BIGINT", "::BIGINT", "::TEXT", "::TEXT", "::TEXT", "::BIGINT", "::BIGINT", "::BIGINT") + `)
				INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, compare_at_price, media, attributes, search,
					variant_count, category_count, created_at, updated_at, changed_at)
				SELECT $1::BIGINT, id, sku, name, slug, description, status, price, compare_at, media, attributes, search,
					variants, links, $2::BIGINT, $2::BIGINT, ` + db.Clock + ` + at FROM v`
		}), args...)
		return nil
	})
}

func updateProducts(tx *db.Tx, list []*Change, stamp func() int64) {
	db.Chunks(list, func(piece []*Change) error {
		args := make([]any, 0, 2+14*len(piece))
		args = append(args, tx.Tenant, tx.Micros())
		for _, r := range piece {
			p := &r.After
			args = append(args, string(p.ID), r.Before.ChangedAt, p.Name, p.Slug, p.Description, string(p.Status), int64(p.Price), amount(p.CompareAt), p.Media, p.Attributes,
				p.search(), int64(len(p.Variants)), int64(len(p.Links)), stamp())
		}
		tx.Change(updateText.For(len(piece), func(n int) string {
			return `WITH v(id, was, name, slug, description, status, price, compare_at, media, attributes, search, variants, links, at) AS (VALUES ` +
				db.Values(n, 14, 3, "::UUID", "::BIGINT", "::TEXT", "::TEXT", "::TEXT", "::TEXT", "::BIGINT", "::BIGINT", "::TEXT", "::TEXT", "::TEXT", "::BIGINT", "::BIGINT", "::BIGINT") + `)
				UPDATE products SET name = v.name, slug = v.slug, description = v.description, status = v.status, price = v.price, compare_at_price = v.compare_at,
					media = v.media, attributes = v.attributes, search = v.search, variant_count = v.variants, category_count = v.links,
					updated_at = $2, changed_at = ` + db.Clock + ` + v.at
				FROM v WHERE products.tenant_id = $1 AND products.id = v.id AND products.changed_at = v.was AND products.deleted_at IS NULL`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

// priceRow is the short update of a product: prices and the fact that it changed.
type priceRow struct {
	product   id.Product
	was       int64 // the stamp it was read with
	price     money.Amount
	compareAt *money.Amount
	variants  int64
}

func updatePrices(tx *db.Tx, list []priceRow, stamp func() int64) {
	db.Chunks(list, func(piece []priceRow) error {
		args := make([]any, 0, 2+6*len(piece))
		args = append(args, tx.Tenant, tx.Micros())
		for i := range piece {
			r := &piece[i]
			args = append(args, string(r.product), r.was, int64(r.price), amount(r.compareAt), r.variants, stamp())
		}
		tx.Change(pricesText.For(len(piece), func(n int) string {
			return `WITH v(id, was, price, compare_at, variants, at) AS (VALUES ` +
				db.Values(n, 6, 3, "::UUID", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT", "::BIGINT") + `)
				UPDATE products SET price = v.price, compare_at_price = v.compare_at, variant_count = v.variants, updated_at = $2, changed_at = ` + db.Clock + ` + v.at
				FROM v WHERE products.tenant_id = $1 AND products.id = v.id AND products.changed_at = v.was AND products.deleted_at IS NULL`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

// amount is the argument for a column of money that may be NULL.
func amount(a *money.Amount) any {
	if a == nil {
		return nil
	}
	return int64(*a)
}

// Delete makes a product a tombstone and frees its SKUs and its slug.
func Delete(tx *db.Tx, p *Product) {
	tx.Change(`UPDATE products SET deleted_at = $3, updated_at = $3, changed_at = `+db.Clock+` + $4::BIGINT, variant_count = 0, category_count = 0
		WHERE tenant_id = $1 AND id = $2 AND changed_at = $5 AND deleted_at IS NULL`, tx.Tenant, p.ID, tx.Micros(), tx.Stamps(1), p.ChangedAt).Rows(1, nil)
	gone := make([]skuRow, 0, 1+len(p.Variants))
	for _, sku := range p.SKUs() {
		gone = append(gone, skuRow{sku: sku})
	}
	dropSKUs(tx, gone)
	tx.Change("DELETE FROM variants WHERE tenant_id = $1 AND product_id = $2", tx.Tenant, p.ID)
	tx.Change("DELETE FROM product_categories WHERE tenant_id = $1 AND product_id = $2", tx.Tenant, p.ID)
}
