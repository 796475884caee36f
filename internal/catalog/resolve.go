package catalog

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Sellable is what a SKU stands for on an order line: a product, or one variant of it (interface §2.3).
type Sellable struct {
	SKU     string
	Product id.Product
	Variant id.Variant // "" when the SKU is the product's own
	Name    string     // the product's name, with the variant's behind a dash
}

// Resolve finds what SKUs stand for, by SKU; those the account does not have are left out.
func Resolve(tx *db.Tx, skus []string) (map[string]Sellable, error) {
	return PrefetchResolve(tx, skus)()
}

// PrefetchResolve is Resolve as a pending read.
func PrefetchResolve(tx *db.Tx, skus []string) func() (map[string]Sellable, error) {
	found := make(map[string]Sellable, len(skus))
	pending := make([]*db.PendingRead, 0, 1)
	for len(skus) > 0 {
		piece := skus[:min(256, len(skus))]
		skus = skus[len(piece):]
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		pending = append(pending, tx.Prefetch(func(r db.Rows) error {
			var s Sellable
			var variant string
			if err := r.Scan(&s.SKU, &s.Product, db.Opt(&s.Variant), &s.Name, db.Opt(&variant)); err != nil {
				return err
			}
			if variant != "" && variant != s.Name {
				s.Name += " - " + variant
			}
			found[s.SKU] = s
			return nil
		}, resolveText.For(len(args)-1, func(n int) string {
			return `SELECT s.sku, s.product_id, s.variant_id, p.name, v.name FROM skus s
				JOIN products p ON p.tenant_id = $1 AND p.id = s.product_id
				LEFT JOIN variants v ON v.tenant_id = $1 AND v.product_id = s.product_id AND v.id = s.variant_id
				WHERE s.tenant_id = $1 AND s.sku IN ` + db.In(n, 2)
		}), args...))
	}
	return func() (map[string]Sellable, error) {
		err := db.WaitAll(pending)
		return found, err
	}
}

var resolveText db.Text
