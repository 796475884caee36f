package catalog

import (
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Sellable is the product, or its variant, that a SKU on an order line stands for (interface §2.3).
type Sellable struct {
	SKU     string
	Product id.Product
	Variant id.Variant // "" when the SKU is the product's own
	Name    string     // the product's name, then a dash and the variant's; only the variant's if that begins with the product's
}

// Resolve finds the products and variants of SKUs, by SKU; unknown SKUs are left out.
func Resolve(r db.Reader, skus []string) (map[string]Sellable, error) {
	return PrefetchResolve(r, skus).Wait()
}

// ProductsOf finds the products of SKUs, by SKU; unknown SKUs are left out.
func ProductsOf(tx *db.Tx, skus []string) (map[string]id.Product, error) {
	found := make(map[string]id.Product, len(skus))
	return found, db.Chunks(skus, func(piece []string) error {
		return tx.Each(func(r db.Rows) error {
			var sku string
			var product id.Product
			err := r.Scan(&sku, &product)
			found[sku] = product
			return err
		}, "SELECT sku, product_id FROM skus WHERE tenant_id = $1 AND sku IN "+db.In(len(piece), 2),
			append([]any{tx.Tenant}, db.Args(piece)...)...)
	})
}

// PrefetchResolve is Resolve as a pending read.
func PrefetchResolve(r db.Reader, skus []string) *db.Pending[map[string]Sellable] {
	p := &db.Pending[map[string]Sellable]{Value: make(map[string]Sellable, len(skus))}
	return p.Await(db.PrefetchOf(r, resolved, skus, func(row db.Rows) error {
		var s Sellable
		var variant string
		if err := row.Scan(&s.SKU, &s.Product, db.Opt(&s.Variant), &s.Name, db.Opt(&variant)); err != nil {
			return err
		}
		switch {
		case strings.HasPrefix(variant, s.Name): // "Apron, M" of "Apron"
			s.Name = variant
		case variant != "":
			s.Name += " - " + variant
		}
		p.Value[s.SKU] = s
		return nil
	})...)
}

var resolved = &db.Keyed{Build: func(n int) string {
	return `SELECT s.sku, s.product_id, s.variant_id, p.name, v.name FROM skus s
		JOIN products p ON p.tenant_id = $1 AND p.id = s.product_id
		LEFT JOIN variants v ON v.tenant_id = $1 AND v.product_id = s.product_id AND v.id = s.variant_id
		WHERE s.tenant_id = $1 AND s.sku IN ` + db.In(n, 2)
}}
