package catalog

import (
	"strconv"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/view"
)

// ProductSorts is the view by which lists of products are sorted. The table product_sorts has the name, the price and
// the status of each product, with an index for each sort. Without the view, an import would write to a random page of
// each of these indexes for each product.
var ProductSorts = &view.View{
	Name:   "product sorts",
	Says:   "Lists by name and price find every product by those it has.",
	Feeds:  []view.Feed{{Table: "products", Stamp: "changed_at"}},
	Every:  5 * time.Second,
	Worth:  200,
	Pause:  5 * time.Second,
	Anyway: 100_000,
	Least:  500,
	Most:   8000,
	Step: func(tx *db.Tx, from, to int64) error {
		storeSorts(tx, "p.changed_at > $2 AND p.changed_at <= $3", from, to)
		return nil
	},
	Compare: compareSorts,
}

// storeSorts queues the present rows of the products p that a condition selects.
func storeSorts(w db.Writer, condition string, args ...any) {
	args = append([]any{w.TenantID()}, args...)
	w.Queue(`INSERT INTO product_sorts (tenant_id, product_id, name, price, status)
		SELECT p.tenant_id, p.id, p.name, p.price, p.status FROM products p
		WHERE p.tenant_id = $1 AND p.deleted_at IS NULL AND `+condition+` ORDER BY p.id
		ON CONFLICT (tenant_id, product_id) DO UPDATE SET name = excluded.name, price = excluded.price, status = excluded.status
		WHERE product_sorts.name <> excluded.name OR product_sorts.price <> excluded.price OR product_sorts.status <> excluded.status`, args...)
	w.Queue(`DELETE FROM product_sorts WHERE tenant_id = $1 AND product_id IN (SELECT p.id FROM products p
		WHERE p.tenant_id = $1 AND p.deleted_at + 0 IS NOT NULL AND `+condition+`)`, args...) // + 0: the index of tombstones has more of them
}

// compareSorts compares the rows with the products that have not changed since a stamp.
func compareSorts(tx *db.Tx, until int64, found view.Findings) error {
	check := func(r db.Rows) error {
		var product id.Product
		var what string
		var same bool
		err := r.Scan(&product, &what, &same)
		if found.Checked(); !same {
			found.Wrong(func(tx *db.Tx, until int64) error {
				storeSorts(tx, "p.changed_at <= $2 AND p.id = $3::UUID", until, product)
				tx.Queue(`DELETE FROM product_sorts WHERE tenant_id = $1 AND product_id = $2::UUID
					AND NOT EXISTS (SELECT 1 FROM products p WHERE p.tenant_id = $1 AND p.id = $2::UUID)`, tx.Tenant, product)
				return nil
			}, "lists by name and price do not find %s as it is", what)
		}
		return err
	}
	err := tx.Each(check, `SELECT p.id, p.sku, coalesce(s.name = p.name AND s.price = p.price AND s.status = p.status, FALSE)
		FROM products p LEFT JOIN product_sorts s ON s.tenant_id = $1 AND s.product_id = p.id
		WHERE p.tenant_id = $1 AND p.deleted_at IS NULL AND p.changed_at <= $2`, tx.Tenant, until)
	if err != nil {
		return err
	}
	return tx.Each(check, `SELECT s.product_id, 'the deleted product ' || s.product_id, FALSE
		FROM product_sorts s LEFT JOIN products p ON p.tenant_id = $1 AND p.id = s.product_id
		WHERE s.tenant_id = $1 AND (p.id IS NULL OR p.deleted_at IS NOT NULL AND p.changed_at <= $2)`, tx.Tenant, until)
}

// changedSinceSorts returns the condition that a product p changed since the sorts were updated. The stamp is part of
// the text: with an argument, PostgreSQL would plan for any stamp and look through all products.
func changedSinceSorts(tx *db.Tx) (string, error) {
	until, err := ProductSorts.Until(tx)
	return "p.changed_at > " + strconv.FormatInt(until, 10), err
}
