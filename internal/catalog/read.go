package catalog

import (
	"errors"

	"entrepot/internal/db"
	"entrepot/internal/fault"
	"entrepot/internal/id"
	"entrepot/internal/money"
)

// productColumns are what a full collector takes, feedColumns what a feed shows.
const (
	productColumns = feedColumns + `, p.slug, p.description, p.attributes, p.created_at, p.updated_at`
	feedColumns    = `p.id, p.sku, p.name, p.status, p.price, coalesce(p.compare_at_price, -1), p.media, p.variant_count, p.category_count, p.changed_at, coalesce(p.deleted_at, 0)`
)

// parts says how many rows a product has elsewhere.
type parts struct{ variants, links int64 }

// collector gathers products and then fetches the parts of those that have some.
type collector struct {
	list        []*Product
	byID        map[id.Product]*Product
	withVariant []id.Product
	withLink    []id.Product

	row       Product // into which each row is scanned
	compareAt int64
	has       parts
	into      []any
}

// newCollector takes rows of productColumns, or of feedColumns.
func newCollector(full bool, room int) *collector {
	c := &collector{list: make([]*Product, 0, room)}
	p := &c.row
	c.into = []any{(*string)(&p.ID), &p.SKU, &p.Name, (*string)(&p.Status), (*int64)(&p.Price), &c.compareAt, &p.Media, &c.has.variants, &c.has.links, &p.ChangedAt, &p.DeletedAt}
	if full {
		c.into = append(c.into, &p.Slug, &p.Description, &p.Attributes, &p.CreatedAt, &p.UpdatedAt)
	}
	return c
}

func (c *collector) add(r db.Rows) error {
	if err := r.Scan(c.into...); err != nil {
		return err
	}
	p := new(Product)
	*p = c.row
	p.CompareAt = orNil(c.compareAt)
	c.list = append(c.list, p)
	c.part(p, c.has)
	return nil
}

// orNil is an amount that was read with -1 for none.
func orNil(amount int64) *money.Amount {
	if amount < 0 {
		return nil
	}
	a := money.Amount(amount)
	return &a
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
	err := eachVariant(tx, c.withVariant, func(product id.Product, v Variant) {
		if p := c.byID[product]; p != nil {
			p.Variants = append(p.Variants, v)
		}
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

// eachVariant reads the variants of products, each product's in their order.
func eachVariant(tx *db.Tx, products []id.Product, take func(product id.Product, v Variant)) error {
	var product id.Product
	var v Variant
	var price, compareAt int64
	into := []any{(*string)(&product), (*string)(&v.ID), &v.SKU, &v.Name, &price, &compareAt, &v.Attributes, &v.Position}
	return each(tx, products, &variantsText, `SELECT product_id, id, sku, name, coalesce(price, -1), coalesce(compare_at_price, -1), attributes, position
		FROM variants WHERE tenant_id = $1 AND product_id IN `, ` ORDER BY product_id, position, id`, func(r db.Rows) error {
		if err := r.Scan(into...); err != nil {
			return err
		}
		v.Price, v.CompareAt = orNil(price), orNil(compareAt)
		take(product, v)
		return nil
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
	c := newCollector(true, len(ids))
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
	slugs := make([]string, 0, len(drafts))
	for i := range drafts {
		d := &drafts[i]
		switch {
		case d.Slug.Value != "":
			slugs = append(slugs, d.Slug.Value)
		case k.owners[d.SKU].product == "":
			slugs = append(slugs, Slug(d.Name.Value))
		}
	}
	return k.takenSlugs(tx, slugs)
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
