package catalog

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// skuRow, variantRow and linkRow are rows of what hangs on a product.
type (
	skuRow struct {
		sku     string
		product id.Product
		variant id.Variant
	}
	variantRow struct {
		product id.Product
		*Variant
	}
	linkRow struct {
		product  id.Product
		position int64
		Link
	}
)

// saveParts queues SKUs, variants and links, all behind the account's clock (decision 26).
func saveParts(tx *db.Tx, changes []*Change) {
	skus := make([]skuRow, 0, len(changes))
	var variants []variantRow
	var links []linkRow
	var gone []skuRow
	var unlinked []id.Product
	for _, r := range changes {
		p := &r.After
		if r.IsNew() {
			skus = append(skus, skuRow{p.SKU, p.ID, ""})
		}
		for i := range r.Written {
			v := &r.Written[i]
			variants = append(variants, variantRow{p.ID, v})
			if r.Before == nil || !has(r.Before.Variants, v.ID) {
				skus = append(skus, skuRow{v.SKU, p.ID, v.ID})
			}
		}
		for _, v := range r.Removed {
			gone = append(gone, skuRow{v.SKU, p.ID, v.ID})
		}
		if !r.links {
			continue
		}
		if r.Before != nil && len(r.Before.Links) > 0 {
			unlinked = append(unlinked, p.ID)
		}
		for i, l := range p.Links {
			links = append(links, linkRow{p.ID, int64(i), l})
		}
	}
	insertSKUs(tx, skus)
	saveVariants(tx, variants)
	dropVariants(tx, gone)
	dropLinks(tx, unlinked)
	saveLinks(tx, links)
}

func has(list []Variant, variant id.Variant) bool {
	for i := range list {
		if list[i].ID == variant {
			return true
		}
	}
	return false
}

// SKUTopic is what the store wakes when SKUs have come.
const SKUTopic = "skus"

func insertSKUs(tx *db.Tx, list []skuRow) {
	if len(list) > 0 {
		tx.Wake(SKUTopic)
	}
	db.Chunks(list, func(piece []skuRow) error {
		args := make([]any, 0, 1+3*len(piece))
		args = append(args, tx.Tenant)
		for i := range piece {
			args = append(args, piece[i].sku, string(piece[i].product), db.Null(string(piece[i].variant)))
		}
		tx.Change(insertSKUsText.For(len(piece), func(n int) string {
			return `WITH v(sku, product, variant) AS (VALUES ` + db.Values(n, 3, 2, "::TEXT", "::UUID", "::UUID") + `)
				INSERT INTO skus (tenant_id, sku, product_id, variant_id) SELECT $1::BIGINT, sku, product, variant FROM v`
		}), args...)
		return nil
	})
}

func saveVariants(tx *db.Tx, list []variantRow) {
	db.Chunks(list, func(piece []variantRow) error {
		args := make([]any, 0, 1+8*len(piece))
		args = append(args, tx.Tenant)
		for _, v := range piece {
			args = append(args, string(v.product), v.Position, string(v.ID), v.SKU, v.Name, amount(v.Price), amount(v.CompareAt), v.Attributes)
		}
		tx.Change(saveVariantsText.For(len(piece), func(n int) string {
			return `WITH v(product, position, id, sku, name, price, compare_at, attributes) AS (VALUES ` +
				db.Values(n, 8, 2, "::UUID", "::BIGINT", "::UUID", "::TEXT", "::TEXT", "::BIGINT", "::BIGINT", "::TEXT") + `)
				INSERT INTO variants (tenant_id, product_id, position, id, sku, name, price, compare_at_price, attributes)
				SELECT $1::BIGINT, product, position, id, sku, name, price, compare_at, attributes FROM v WHERE TRUE
				ON CONFLICT (tenant_id, product_id, id) DO UPDATE SET position = excluded.position, name = excluded.name, price = excluded.price,
					compare_at_price = excluded.compare_at_price, attributes = excluded.attributes`
		}), args...)
		return nil
	})
}

func dropVariants(tx *db.Tx, list []skuRow) {
	dropSKUs(tx, list)
	db.Chunks(list, func(piece []skuRow) error {
		args := make([]any, 0, 1+2*len(piece))
		args = append(args, tx.Tenant)
		for i := range piece {
			args = append(args, string(piece[i].product), string(piece[i].variant))
		}
		tx.Change(dropVariantsText.For(len(piece), func(n int) string {
			return `DELETE FROM variants WHERE tenant_id = $1 AND (product_id, id) IN (VALUES ` + db.Values(n, 2, 2, "::UUID", "::UUID") + `)`
		}), args...)
		return nil
	})
}

func dropSKUs(tx *db.Tx, list []skuRow) {
	db.Chunks(list, func(piece []skuRow) error {
		args := make([]any, 0, 1+len(piece))
		args = append(args, tx.Tenant)
		for i := range piece {
			args = append(args, piece[i].sku)
		}
		tx.Change(dropSKUsText.For(len(piece), func(n int) string {
			return `DELETE FROM skus WHERE tenant_id = $1 AND sku IN ` + db.In(n, 2)
		}), args...)
		return nil
	})
}

func dropLinks(tx *db.Tx, list []id.Product) {
	db.Chunks(list, func(piece []id.Product) error {
		args := make([]any, 0, 1+len(piece))
		args = append(args, tx.Tenant)
		for _, p := range piece {
			args = append(args, string(p))
		}
		tx.Change(dropLinksText.For(len(piece), func(n int) string {
			return `DELETE FROM product_categories WHERE tenant_id = $1 AND product_id IN ` + db.In(n, 2)
		}), args...)
		return nil
	})
}

// saveLinks writes links as they were found: a category that came or went meanwhile makes the operation run again, so that no
// link waits for what is there. Writers of categories hold the tenant's clock, and this comes after it.
func saveLinks(tx *db.Tx, list []linkRow) {
	db.Chunks(list, func(piece []linkRow) error {
		args := make([]any, 0, 1+4*len(piece))
		args = append(args, tx.Tenant)
		for i := range piece {
			args = append(args, string(piece[i].product), piece[i].position, piece[i].Reference, db.Null(string(piece[i].Category)))
		}
		tx.Change(saveLinksText.For(len(piece), func(n int) string {
			return `WITH v(product, position, reference, category) AS (VALUES ` + db.Values(n, 4, 2, "::UUID", "::BIGINT", "::TEXT", "::UUID") + `)
				INSERT INTO product_categories (tenant_id, product_id, position, reference, category_id)
				SELECT $1::BIGINT, product, position, reference, category FROM v
				WHERE (category IS NOT NULL OR NOT EXISTS (SELECT 1 FROM categories c WHERE c.tenant_id = $1 AND c.external_id = v.reference AND c.deleted_at IS NULL))
					AND (category IS NULL OR EXISTS (SELECT 1 FROM categories c WHERE c.tenant_id = $1 AND c.id = v.category AND c.deleted_at IS NULL))`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

var insertSKUsText, dropSKUsText, saveVariantsText, dropVariantsText, saveLinksText, dropLinksText db.Text
