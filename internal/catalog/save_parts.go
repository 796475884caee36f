package catalog

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// saveParts queues SKUs, variants and links, all after the account's clock (decision 5).
func saveParts(tx db.Writer, changes []*Change) {
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
			variants = append(variants, variantRow{p.ID, *v})
			if r.Before == nil || !has(r.Before.Variants, v.ID) {
				skus = append(skus, skuRow{v.SKU, p.ID, v.ID})
			}
		}
		for _, v := range r.Removed {
			gone = append(gone, skuRow{v.SKU, p.ID, v.ID})
		}
		if !r.links && !(r.IsNew() && len(r.After.Links) > 0) {
			continue
		}
		if r.Before != nil && len(r.Before.Links) > 0 {
			unlinked = append(unlinked, p.ID)
			countLinks(tx, r.Before.Links, -1)
		}
		countLinks(tx, p.Links, 1)
		for i, l := range p.Links {
			links = append(links, linkRow{p.ID, int64(i), l})
		}
	}
	if len(skus) > 0 {
		tx.Wake(SKUTopic)
	}
	skuTable.InsertStamped(tx, skus, "")
	variantTable.UpsertStamped(tx, variants)
	dropVariants(tx, gone)
	dropLinks(tx, unlinked)
	linkTable.InsertStamped(tx, links, stillSo)
}

func has(list []Variant, variant id.Variant) bool {
	for i := range list {
		if list[i].ID == variant {
			return true
		}
	}
	return false
}

// SKUTopic is the topic on which the store wakes loops when SKUs were created.
const SKUTopic = "skus"

func dropVariants(tx db.Writer, list []skuRow) {
	dropSKUs(tx, list)
	db.Chunks(list, func(piece []skuRow) error {
		args := make([]any, 0, 1+2*len(piece))
		args = append(args, tx.TenantID())
		for i := range piece {
			args = append(args, string(piece[i].product), string(piece[i].variant))
		}
		tx.Change(dropVariantsText.For(len(piece), func(n int) string {
			return `DELETE FROM variants WHERE tenant_id = $1 AND (product_id, id) IN (VALUES ` + db.Values(n, 2, 2, "::UUID", "::UUID") + `)`
		}), args...)
		return nil
	})
}

func dropSKUs(tx db.Writer, list []skuRow) {
	db.Chunks(list, func(piece []skuRow) error {
		args := make([]any, 0, 1+len(piece))
		args = append(args, tx.TenantID())
		for i := range piece {
			args = append(args, piece[i].sku)
		}
		tx.Change(dropSKUsText.For(len(piece), func(n int) string {
			return `DELETE FROM skus WHERE tenant_id = $1 AND sku IN ` + db.In(n, 2)
		}), args...)
		return nil
	})
}

func dropLinks(tx db.Writer, list []id.Product) {
	db.Chunks(list, func(piece []id.Product) error {
		args := make([]any, 0, 1+len(piece))
		args = append(args, tx.TenantID())
		for _, p := range piece {
			args = append(args, string(p))
		}
		tx.Change(dropLinksText.For(len(piece), func(n int) string {
			return `DELETE FROM product_categories WHERE tenant_id = $1 AND product_id IN ` + db.In(n, 2)
		}), args...)
		return nil
	})
}

// stillSo is the condition that a link v is as it was read. If a category was created or deleted meanwhile, the
// operation runs again, so that no link waits for a category that exists. Writers of categories hold the account's
// clock, and this statement comes after it.
const stillSo = `(v.category_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM categories c
		WHERE c.tenant_id = $1 AND c.external_id = v.reference AND c.deleted_at IS NULL))
	AND (v.category_id IS NULL OR EXISTS (SELECT 1 FROM categories c
		WHERE c.tenant_id = $1 AND c.id = v.category_id AND c.deleted_at IS NULL))`

var dropSKUsText, dropVariantsText, dropLinksText db.Text
