package catalog

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// collector collects products, and afterwards reads variants and links of the products that have some.
type collector struct {
	list        []*Product
	byID        map[id.Product]*Product
	withVariant []id.Product
	withLink    []id.Product

	row    productRow // into which each row is scanned
	places []any
}

// newCollector reads rows with the columns of productTable or feedTable.
func newCollector(table *db.Table[productRow], room int) *collector {
	c := &collector{list: make([]*Product, 0, room)}
	c.places = table.Places(&c.row)
	return c
}

func (c *collector) add(r db.Rows) error {
	if err := r.Scan(c.places...); err != nil {
		return err
	}
	c.keep()
	return nil
}

// keep adds the product that was scanned.
func (c *collector) keep() {
	p := new(Product)
	*p = c.row.Product
	c.list = append(c.list, p)
	c.part(p, &c.row)
}

// orNil returns an amount; -1, which stands for none, becomes nil.
func orNil(amount int64) *money.Amount {
	if amount < 0 {
		return nil
	}
	a := money.Amount(amount)
	return &a
}

// part notes which parts of a product are in other tables.
func (c *collector) part(p *Product, has *productRow) {
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
	return db.WaitAll(append(c.prefetchVariants(tx, c.withVariant), c.prefetchLinks(tx, c.withLink)...))
}

func (c *collector) prefetchVariants(r db.Reader, products []id.Product) []*db.PendingRead {
	return prefetchVariants(r, products, func(product id.Product, v Variant) {
		if p := c.byID[product]; p != nil {
			p.Variants = append(p.Variants, v)
		}
	})
}

func (c *collector) prefetchLinks(r db.Reader, products []id.Product) []*db.PendingRead {
	scan := linkTable.Scanner()
	return db.PrefetchOf(r, linksOf, products, func(row db.Rows) error {
		l, err := scan(row)
		if p := c.byID[l.product]; p != nil {
			p.Links = append(p.Links, l.Link)
		}
		return err
	})
}

// eachVariant reads the variants of products, those of one product in their order.
func eachVariant(tx *db.Tx, products []id.Product, take func(product id.Product, v Variant)) error {
	return db.WaitAll(prefetchVariants(tx, products, take))
}

// prefetchVariants is eachVariant as pending reads.
func prefetchVariants(r db.Reader, products []id.Product, take func(product id.Product, v Variant)) []*db.PendingRead {
	scan := variantTable.Scanner()
	return db.PrefetchOf(r, variantsOf, products, func(row db.Rows) error {
		v, err := scan(row)
		if err == nil {
			take(v.product, v.Variant)
		}
		return err
	})
}

// The reads of products by their ids, which are the first columns.
var (
	productsBy = &db.Keyed{Build: func(n int) string {
		return productTable.Select("p") + " WHERE p.tenant_id = $1 AND p.id IN " + db.In(n, 2) + " AND p.deleted_at IS NULL"
	}}
	variantsOf     = db.KeyedBy(variantTable.Select(""), "product_id", " ORDER BY product_id, position, id")
	linksOf        = db.KeyedBy(linkTable.Select(""), "product_id", " ORDER BY product_id, position")
	publicationsOf = db.KeyedBy(publicationTable.Select(""), "product_id", " ORDER BY product_id, channel_id")
)

var ownersText, slugsText db.Text

// each runs "head IN (keys) tail" for all keys, in pieces.
func each[T ~string](tx *db.Tx, keys []T, text *db.Text, head, tail string, row func(db.Rows) error) error {
	return eachOf(tx, keys, text, func(n int) string { return head + db.In(n, 2) + tail }, row)
}

// eachOf runs a query with keys from $2 on, for all keys, in pieces; the query may name its last key more than once.
func eachOf[T ~string](tx *db.Tx, keys []T, text *db.Text, build func(n int) string, row func(db.Rows) error) error {
	return db.WaitAll(prefetchOf(tx, keys, text, build, row))
}

// prefetchOf is eachOf as pending reads.
func prefetchOf[T ~string](r db.Reader, keys []T, text *db.Text, build func(n int) string,
	row func(db.Rows) error) (list []*db.PendingRead) {
	for len(keys) > 0 {
		piece := keys[:min(256, len(keys))]
		keys = keys[len(piece):]
		args := make([]any, 1, 257)
		args[0] = r.TenantID()
		args = append(args, db.Padded(piece)...)
		list = append(list, r.Prefetch(row, text.For(len(args)-1, build), args...))
	}
	return list
}

// ByIDs reads products with their variants and links, in no order; unknown and deleted ones are left out.
func ByIDs(tx *db.Tx, ids []id.Product) ([]*Product, error) {
	c := newCollector(productTable, len(ids))
	if err := db.WaitAll(db.PrefetchOf(tx, productsBy, ids, c.add)); err != nil {
		return nil, err
	}
	return c.list, c.fetch(tx)
}

// Missing is the error for a product that the account does not have: NotFound.
func Missing() error { return productTable.Missing() }

// ByID reads one product that is not deleted. Errors: NotFound.
func ByID(tx *db.Tx, product id.Product) (*Product, error) {
	return PrefetchByID(tx, product).Wait()
}

// PendingProduct is one product with pending reads of it and its parts.
type PendingProduct struct {
	collector            *collector
	row, variants, links []*db.PendingRead
}

// PrefetchByID is ByID as a pending read.
func PrefetchByID(r db.Reader, product id.Product) PendingProduct {
	c, ids := newCollector(productTable, 1), []id.Product{product}
	return PendingProduct{c, db.PrefetchOf(r, productsBy, ids, c.add), c.prefetchVariants(r, ids), c.prefetchLinks(r, ids)}
}

// Wait waits for the reads of the product, and of the parts that it has. Errors: NotFound.
func (p PendingProduct) Wait() (*Product, error) {
	err := db.WaitAll(p.row)
	if err == nil && len(p.collector.list) == 0 {
		err = Missing()
	}
	if err == nil && len(p.collector.withVariant) > 0 {
		err = db.WaitAll(p.variants)
	}
	if err == nil && len(p.collector.withLink) > 0 {
		err = db.WaitAll(p.links)
	}
	if err != nil {
		return nil, err
	}
	return p.collector.list[0], nil
}

// ReadFor reads everything that the drafts concern: the products with their SKUs, categories, and slugs. media converts
// images to their stored form, the JSON that is sent.
func ReadFor(tx *db.Tx, drafts []Draft, media func([]Image) string) (*Lookup, error) {
	k := newLookup(len(drafts), media)
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

// readOwners finds the products that have the SKUs. It uses a scalar subquery for each SKU, as readSlugs does for
// slugs: that is one look-up in the index on either engine, whatever the planner's statistics say.
func (k *Lookup) readOwners(tx *db.Tx, skus []string) error {
	var sku, product string
	into := []any{&sku, &product}
	return eachOf(tx, skus, &ownersText, func(n int) string {
		return `WITH v(sku) AS (VALUES ` + db.Values(n, 1, 2, "::TEXT") + `)
			SELECT v.sku, coalesce((SELECT s.product_id FROM skus s WHERE s.tenant_id = $1 AND s.sku = v.sku)::TEXT, '') FROM v`
	}, func(r db.Rows) error {
		err := r.Scan(into...)
		if product != "" {
			k.owners[sku] = owner{product: id.Product(product)}
		}
		return err
	})
}

func (k *Lookup) readProducts(tx *db.Tx) error {
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
		for i := range p.Variants {
			if v := &p.Variants[i]; k.owners[v.SKU].product == p.ID {
				k.owners[v.SKU] = owner{p.ID, v.ID}
			}
		}
	}
	return err
}

// readSlugs finds which of the slugs that the drafts name, or would get, are taken.
func (k *Lookup) readSlugs(tx *db.Tx, drafts []Draft) error {
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

func (k *Lookup) takenSlugs(tx *db.Tx, slugs []string) error {
	return eachOf(tx, slugs, &slugsText, func(n int) string {
		return `WITH v(slug) AS (VALUES ` + db.Values(n, 1, 2, "::TEXT") + `)
			SELECT v.slug FROM v WHERE (SELECT count(*) FROM products p WHERE p.tenant_id = $1 AND p.deleted_at IS NULL AND p.slug = v.slug) > 0`
	}, func(r db.Rows) error {
		var slug string
		err := r.Scan(&slug)
		k.slugs[slug] = true
		return err
	})
}
