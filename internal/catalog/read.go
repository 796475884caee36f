package catalog

import (
	"errors"

	"entrepot/internal/db"
	"entrepot/internal/fault"
	"entrepot/internal/id"
)

// productColumns are what scanProduct takes.
const productColumns = `p.id, p.sku, p.name, p.slug, p.description, p.status, p.price, p.compare_at_price, p.media, p.attributes,
	p.variant_count, p.category_count, p.created_at, p.updated_at, p.changed_at, p.deleted_at`

// parts says how many rows a product has elsewhere.
type parts struct{ variants, links int64 }

func scanProduct(r db.Rows) (p *Product, has parts, err error) {
	p = &Product{}
	err = r.Scan((*string)(&p.ID), &p.SKU, &p.Name, &p.Slug, &p.Description, (*string)(&p.Status), (*int64)(&p.Price), &p.CompareAt, &p.Media, &p.Attributes,
		&has.variants, &has.links, &p.CreatedAt, &p.UpdatedAt, &p.ChangedAt, db.Opt(&p.DeletedAt))
	return p, has, err
}

// collector gathers products and then fetches the parts of those that have some.
type collector struct {
	list        []*Product
	byID        map[id.Product]*Product
	withVariant []id.Product
	withLink    []id.Product
}

func (c *collector) add(r db.Rows) error {
	p, has, err := scanProduct(r)
	if err != nil {
		return err
	}
	c.list = append(c.list, p)
	c.part(p, has)
	return nil
}

// part notes which rows of a product are elsewhere.
func (c *collector) part(p *Product, has parts) {
	if has.variants+has.links == 0 {
		return
	}
	if c.byID == nil {
		c.byID = map[id.Product]*Product{}
	}
	c.byID[p.ID] = p
	if has.variants > 0 {
		c.withVariant = append(c.withVariant, p.ID)
	}
	if has.links > 0 {
		c.withLink = append(c.withLink, p.ID)
	}
}

// fetch reads variants and links.
func (c *collector) fetch(tx *db.Tx) error {
	err := each(tx, c.withVariant, &variantsText, `SELECT product_id, id, sku, name, price, compare_at_price, attributes, position
		FROM variants WHERE tenant_id = $1 AND product_id IN `, ` ORDER BY product_id, position, id`, func(r db.Rows) error {
		var product id.Product
		var v Variant
		err := r.Scan((*string)(&product), (*string)(&v.ID), &v.SKU, &v.Name, &v.Price, &v.CompareAt, &v.Attributes, &v.Position)
		if p := c.byID[product]; p != nil {
			p.Variants = append(p.Variants, v)
		}
		return err
	})
	if err != nil {
		return err
	}
	return each(tx, c.withLink, &linksText, `SELECT product_id, reference, category_id FROM product_categories WHERE tenant_id = $1 AND product_id IN `,
		` ORDER BY product_id, position`, func(r db.Rows) error {
			var product id.Product
			var l Link
			err := r.Scan((*string)(&product), &l.Reference, db.Opt((*string)(&l.Category)))
			if p := c.byID[product]; p != nil {
				p.Links = append(p.Links, l)
			}
			return err
		})
}

var variantsText, linksText, byIDText, ownersText, slugsText db.Text

// each runs "head IN (keys) tail" for all keys, in pieces.
func each[T ~string](tx *db.Tx, keys []T, text *db.Text, head, tail string, row func(db.Rows) error) error {
	for len(keys) > 0 {
		piece := keys[:min(256, len(keys))]
		keys = keys[len(piece):]
		args := make([]any, 1, 257)
		args[0] = tx.Tenant
		args = append(args, db.Padded(piece)...)
		err := tx.Each(row, text.For(len(args)-1, func(n int) string { return head + db.In(n, 2) + tail }), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// ByIDs reads living products with their variants and links, in no order; unknown ids are left out.
func ByIDs(tx *db.Tx, ids []id.Product) ([]*Product, error) {
	var c collector
	err := each(tx, ids, &byIDText, `SELECT `+productColumns+` FROM products p WHERE p.tenant_id = $1 AND p.id IN `, ` AND p.deleted_at IS NULL`, c.add)
	if err != nil {
		return nil, err
	}
	return c.list, c.fetch(tx)
}

// ByID reads one living product. Faults: NotFound.
func ByID(tx *db.Tx, product id.Product) (*Product, error) {
	list, err := ByIDs(tx, []id.Product{product})
	if err == nil && len(list) == 0 {
		err = fault.Missing("product")
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// ReadFor reads what the drafts touch: owners of their SKUs, the products of these, categories, and slugs.
func ReadFor(tx *db.Tx, drafts []Draft) (*Known, error) {
	k := &Known{owners: map[string]owner{}, products: map[id.Product]*Product{}, references: map[string]id.Category{}, slugs: map[string]bool{}, claimed: make(map[string]bool, len(drafts))}
	skus := make([]string, 0, len(drafts))
	for i := range drafts {
		skus = append(skus, drafts[i].SKU)
		for j := range drafts[i].Variants {
			skus = append(skus, drafts[i].Variants[j].SKU)
		}
	}
	if err := k.readOwners(tx, skus); err != nil {
		return nil, err
	}
	if err := k.readProducts(tx); err != nil {
		return nil, err
	}
	if err := k.readReferences(tx, drafts); err != nil {
		return nil, err
	}
	return k, k.readSlugs(tx, drafts)
}

func (k *Known) readOwners(tx *db.Tx, skus []string) error {
	return each(tx, skus, &ownersText, `SELECT sku, product_id, variant_id FROM skus WHERE tenant_id = $1 AND sku IN `, ``, func(r db.Rows) error {
		var sku string
		var o owner
		err := r.Scan(&sku, (*string)(&o.product), db.Opt((*string)(&o.variant)))
		k.owners[sku] = o
		return err
	})
}

func (k *Known) readProducts(tx *db.Tx) error {
	seen := make(map[id.Product]bool, len(k.owners))
	ids := make([]id.Product, 0, len(k.owners))
	for _, o := range k.owners {
		if !seen[o.product] {
			seen[o.product] = true
			ids = append(ids, o.product)
		}
	}
	list, err := ByIDs(tx, ids)
	for _, p := range list {
		k.products[p.ID] = p
	}
	return err
}

// readSlugs finds which of the slugs that the drafts give or would get are taken.
func (k *Known) readSlugs(tx *db.Tx, drafts []Draft) error {
	first := make([]string, 0, len(drafts))
	for i := range drafts {
		d := &drafts[i]
		switch {
		case d.Slug.Value != "":
			first = append(first, d.Slug.Value)
		case k.owners[d.SKU].product == "":
			first = append(first, Slug(d.Name.Value))
		}
	}
	if err := k.takenSlugs(tx, first); err != nil {
		return err
	}
	again := make(map[string]bool, len(first)) // slugs that an earlier draft of this request takes
	var second []string
	for i := range drafts {
		d := &drafts[i]
		if d.Slug.Value == "" && k.owners[d.SKU].product == "" {
			base := Slug(d.Name.Value)
			if k.slugs[base] || again[base] {
				second = append(second, secondSlug(base, d.SKU))
			}
			again[base] = true
		} else {
			again[d.Slug.Value] = true
		}
	}
	return k.takenSlugs(tx, second)
}

func (k *Known) takenSlugs(tx *db.Tx, slugs []string) error {
	return each(tx, slugs, &slugsText, `SELECT slug FROM products WHERE tenant_id = $1 AND deleted_at IS NULL AND slug IN `, ``, func(r db.Rows) error {
		var slug string
		err := r.Scan(&slug)
		k.slugs[slug] = true
		return err
	})
}

// IDOf finds the product that has a SKU, its own or a variant's. Faults: NotFound.
func IDOf(tx *db.Tx, sku string) (product id.Product, err error) {
	err = tx.Row("SELECT product_id FROM skus WHERE tenant_id = $1 AND sku = $2", []any{tx.Tenant, sku}, (*string)(&product))
	if errors.Is(err, db.ErrNoRow) {
		err = fault.Missing("product")
	}
	return product, err
}
