package catalog

import (
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// Save queues the changes: products with their stamps, SKUs, variants and links. If one of them was written since it
// was read, or a SKU or slug was taken, the operation runs again.
func Save(tx db.Writer, changes []Change) {
	var fresh, full, priced []productRow
	var searched []search.Document
	var parts []*Change
	for i := range changes {
		r := &changes[i]
		found := r.IsNew() || r.Before.search() != r.After.search() // by other words, or GTINs, than before
		switch {
		case r.IsNew():
			tx.Tally(counted, string(r.After.Status), 1)
			fresh = append(fresh, rowOf(&r.After))
		case len(r.Fields) == 0:
			continue
		case r.pricesOnly() && !found:
			priced = append(priced, rowOf(&r.After))
		default:
			if r.Before.Status != r.After.Status {
				tx.Tally(counted, string(r.Before.Status), -1)
				tx.Tally(counted, string(r.After.Status), 1)
			}
			full = append(full, rowOf(&r.After))
		}
		parts = append(parts, r)
		if found {
			searched = append(searched, search.Document{ID: string(r.After.ID), Text: r.After.search()})
		}
	}
	productTable.InsertStamped(tx, fresh, "")
	productTable.UpdateStamped(tx, full, alive)
	priceTable.UpdateStamped(tx, priced, alive)
	saveParts(tx, parts)
	search.Put(tx, search.Products, searched...)
}

// alive is the condition that a product is not deleted.
const alive = "products.deleted_at IS NULL"

// stamps returns a function that returns one of n reserved stamps at each call.
func stamps(tx db.Writer, n int) func() int64 {
	next := tx.Stamps(n) - db.StampStep
	return func() int64 {
		next += db.StampStep
		return next
	}
}

// pricesOnly reports whether only prices change, so that the short UPDATE is enough.
func (r *Change) pricesOnly() bool {
	for _, f := range r.Fields {
		if f != "price" && f != "compareAtPrice" && f != "variants" {
			return false
		}
	}
	return true
}

// Delete queues that a product becomes a tombstone, without its SKUs and slug, which others may take.
func Delete(tx db.Writer, p *Product) {
	tx.Change("UPDATE products SET deleted_at = $3, updated_at = $3, changed_at = "+db.Clock+" + $4::BIGINT, variant_count = 0,"+
		" category_count = 0 WHERE tenant_id = $1 AND id = $2 AND changed_at = $5 AND deleted_at IS NULL",
		tx.TenantID(), p.ID, tx.Micros(), tx.Stamps(1), p.ChangedAt).Rows(1, nil)
	tx.Tally(counted, string(p.Status), -1)
	countLinks(tx, p.Links, -1)
	search.Put(tx, search.Products, search.Document{ID: string(p.ID)})
	gone := make([]skuRow, 0, 1+len(p.Variants))
	for _, sku := range p.SKUs() {
		gone = append(gone, skuRow{sku: sku})
	}
	dropSKUs(tx, gone)
	tx.Change("DELETE FROM variants WHERE tenant_id = $1 AND product_id = $2", tx.TenantID(), p.ID)
	tx.Change("DELETE FROM product_categories WHERE tenant_id = $1 AND product_id = $2", tx.TenantID(), p.ID)
}
