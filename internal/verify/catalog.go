package verify

import (
	"github.com/google/uuid"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// skus compares SKUs with products in both directions.
func skus(c *account) error {
	err := c.each(`SELECT s.sku, CASE WHEN s.variant_id IS NULL THEN p.sku ELSE v.sku END, p.deleted_at FROM skus s
		LEFT JOIN products p ON p.tenant_id = $1 AND p.id = s.product_id
		LEFT JOIN variants v ON v.tenant_id = $1 AND v.product_id = s.product_id AND v.id = s.variant_id
		WHERE s.tenant_id = $1`, nil, func(r db.Rows) error {
		var sku, own string
		var deleted int64
		err := r.Scan(&sku, db.Opt(&own), db.Opt(&deleted))
		if own != sku || deleted != 0 {
			c.wrong("the SKU %s stands for nothing that is there", sku)
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.each(`SELECT p.sku, s.sku FROM products p LEFT JOIN skus s ON s.tenant_id = $1 AND s.sku = p.sku AND s.product_id = p.id
		AND s.variant_id IS NULL
			WHERE p.tenant_id = $1 AND p.deleted_at IS NULL
		UNION ALL SELECT v.sku, s.sku FROM products p JOIN variants v ON v.tenant_id = $1 AND v.product_id = p.id
			LEFT JOIN skus s ON s.tenant_id = $1 AND s.sku = v.sku AND s.product_id = p.id AND s.variant_id = v.id
			WHERE p.tenant_id = $1 AND p.deleted_at IS NULL`, nil, func(r db.Rows) error {
		var sku, found string
		err := r.Scan(&sku, db.Opt(&found))
		if found == "" {
			c.wrong("a product or variant with the SKU %s is not found by it", sku)
		}
		return err
	})
}

func productParts(c *account) error {
	return c.each(`SELECT p.sku, p.variant_count, p.category_count,
			(SELECT count(*) FROM variants v WHERE v.tenant_id = $1 AND v.product_id = p.id),
			(SELECT count(*) FROM product_categories l WHERE l.tenant_id = $1 AND l.product_id = p.id)
		FROM products p WHERE p.tenant_id = $1 AND p.deleted_at IS NULL`, nil, func(r db.Rows) error {
		var sku string
		var variants, categories, hasVariants, hasCategories int64
		err := r.Scan(&sku, &variants, &categories, &hasVariants, &hasCategories)
		if variants != hasVariants || categories != hasCategories {
			c.wrong("%s counts %d variants and %d categories, it has %d and %d", sku, variants, categories, hasVariants, hasCategories)
		}
		return err
	})
}

// categories follows the parents of each category to one without a parent, or to one that is being deleted. It holds
// some 50 bytes for each category with a parent.
func categories(c *account) error {
	parents := map[uuid.UUID]uuid.UUID{} // of the categories that are not known to be in order
	err := c.each(`SELECT c.id, c.parent_id, c.slug, CASE WHEN p.id IS NULL AND u.subject IS NULL THEN 0 ELSE 1 END FROM categories c
		LEFT JOIN categories p ON p.tenant_id = $1 AND p.id = c.parent_id AND p.deleted_at IS NULL
		LEFT JOIN jobs u ON u.tenant_id = $1 AND u.type = '`+string(jobs.CategoryDeletion)+`' AND u.subject = c.parent_id
		WHERE c.tenant_id = $1 AND c.parent_id IS NOT NULL AND c.deleted_at IS NULL`, nil, func(r db.Rows) error {
		var own, parent id.Category
		var slug string
		var there int64
		if err := r.Scan(&own, &parent, &slug, &there); err != nil {
			return err
		}
		if there == 0 {
			c.wrong("the parent of the category %s is not there", slug)
			return nil
		}
		parents[uuid.MustParse(string(own))] = uuid.MustParse(string(parent))
		return nil
	})
	for start := range parents {
		var way []uuid.UUID
		on := map[uuid.UUID]bool{}
		for at, more := start, true; more && !on[at]; {
			way, on[at] = append(way, at), true
			if at, more = parents[at]; on[at] {
				c.wrong("the category %s is below itself", at)
			}
		}
		for _, at := range way {
			delete(parents, at)
		}
	}
	return err
}
