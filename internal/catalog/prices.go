package catalog

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
)

// PriceDraft is one item of a price update (interface §4.2).
type PriceDraft struct {
	Index     int // place in the request, from 0
	SKU       string
	Price     money.Amount
	CompareAt patch.Field[money.Amount] // null clears
}

// Priced is a product with its present prices and the present prices of its variants that drafts name.
type Priced struct {
	ID        id.Product
	SKU       string
	Name      string
	Price     money.Amount
	CompareAt *money.Amount
	Fields    []string // what changed, by the names of interface §2.7.1
	variants  []Variant
	count     int64 // of all its variants
	was       int64
}

// priceTarget is the product or variant that has a draft's SKU.
type priceTarget struct {
	product *Priced
	variant id.Variant // "" for the product's own price
}

// PriceList has the targets of drafts, in the drafts' order.
type PriceList struct {
	drafts   []PriceDraft
	targets  []priceTarget
	products []*Priced
}

var pricedText db.Text

// ReadPrices reads the present prices of the products and variants with the drafts' SKUs. v.i + 0 makes PostgreSQL
// expect one row of the list: it then looks up each SKU and does not read all of an account without statistics.
func ReadPrices(tx *db.Tx, drafts []PriceDraft) (*PriceList, error) {
	l := &PriceList{drafts: drafts, targets: make([]priceTarget, len(drafts)), products: make([]*Priced, 0, len(drafts))}
	var shared map[id.Product]*Priced // several drafts can name one product only if a variant is named
	var withVariants []id.Product
	room := make([]Priced, len(drafts))
	var row Priced
	var variant id.Variant
	var at, compareAt int64
	into := []any{&at, (*string)(&row.ID), (*string)(&variant), &row.SKU, &row.Name, (*int64)(&row.Price), &compareAt, &row.was, &row.count}
	first := 0
	err := db.Chunks(drafts, func(piece []PriceDraft) error {
		args := make([]any, 0, 1+2*len(piece))
		args = append(args, tx.Tenant)
		for i := range piece {
			args = append(args, int64(first+i), piece[i].SKU)
		}
		first += len(piece)
		return tx.Each(func(r db.Rows) error {
			if err := r.Scan(into...); err != nil {
				return err
			}
			p := &room[len(l.products)]
			*p = row
			p.CompareAt = orNil(compareAt)
			if variant == "" {
				p.SKU = drafts[at].SKU
			} else if shared == nil {
				shared = make(map[id.Product]*Priced, len(drafts))
				for _, other := range l.products {
					shared[other.ID] = other
				}
			}
			if known := shared[p.ID]; known != nil {
				p = known
			} else {
				l.products = append(l.products, p)
				if shared != nil {
					shared[p.ID] = p
				}
			}
			if variant != "" {
				withVariants = append(withVariants, p.ID)
			}
			l.targets[at] = priceTarget{p, variant}
			return nil
		}, pricedText.For(len(piece), func(n int) string {
			return `WITH v(i, sku) AS (VALUES ` + db.Values(n, 2, 2, "::BIGINT", "::TEXT") + `)
				SELECT v.i, s.product_id, coalesce(s.variant_id::TEXT, ''), CASE WHEN s.variant_id IS NULL THEN '' ELSE p.sku END, p.name,
					p.price, coalesce(p.compare_at_price, -1), p.changed_at, p.variant_count
				FROM v CROSS JOIN skus s CROSS JOIN products p
				WHERE v.i = v.i + 0 AND s.tenant_id = $1 AND s.sku = v.sku AND p.tenant_id = $1 AND p.id = s.product_id`
		}), args...)
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(withVariants)
	return l, eachVariant(tx, slices.Compact(withVariants), func(product id.Product, v Variant) {
		if p := shared[product]; p != nil {
			p.variants = append(p.variants, v)
		}
	})
}

// Found reports whether the account has the SKU of the draft at a position of the list.
func (l *PriceList) Found(i int) bool { return l.targets[i].product != nil }

// Prices are the price and the compare-at price of a product or a variant, nil for none of its own.
type Prices struct {
	SKU, Name        string
	Price, CompareAt *money.Amount
}

// At returns the prices of a draft's target: those stored before Diff, those that the drafts set after it.
func (l *PriceList) At(i int) Prices {
	t := l.targets[i]
	out := Prices{SKU: l.drafts[i].SKU, Name: t.product.Name}
	if t.variant == "" {
		price := t.product.Price
		out.Price, out.CompareAt = &price, t.product.CompareAt
		return out
	}
	if at := slices.IndexFunc(t.product.variants, func(v Variant) bool { return v.ID == t.variant }); at >= 0 {
		out.Price, out.CompareAt = t.product.variants[at].Price, t.product.variants[at].CompareAt
	}
	return out
}

// Names of fields, shared by all that change them.
var (
	priceFields   = []string{"price"}
	compareFields = []string{"compareAtPrice"}
	bothFields    = []string{"price", "compareAtPrice"}
)

// PriceChanges are the changes that drafts make.
type PriceChanges struct {
	Products []*Priced
	variants []variantRow
}

// Diff applies the drafts' prices and returns what changes.
func (l *PriceList) Diff() *PriceChanges {
	c := &PriceChanges{Products: make([]*Priced, 0, len(l.products))}
	for i := range l.drafts {
		t := l.targets[i]
		if t.product == nil {
			continue
		}
		before := len(t.product.Fields)
		if t.variant == "" {
			t.product.diff(&l.drafts[i])
		} else if v := t.product.diffVariant(t.variant, &l.drafts[i]); v != nil {
			c.variants = append(c.variants, variantRow{t.product.ID, *v})
		}
		if before == 0 && len(t.product.Fields) > 0 {
			c.Products = append(c.Products, t.product)
		}
	}
	return c
}

// Save queues the changes. If one of the products was written since it was read, the operation runs again.
func (c *PriceChanges) Save(tx db.Writer) {
	rows := make([]productRow, len(c.Products))
	for i, p := range c.Products {
		rows[i] = productRow{Product: Product{ID: p.ID, Price: p.Price, CompareAt: p.CompareAt, ChangedAt: p.was}, variants: p.count}
	}
	priceTable.UpdateStamped(tx, rows, alive)
	variantTable.UpsertStamped(tx, c.variants)
}

// diff applies the price of the product itself. Its fields come before those of the product's other drafts.
func (p *Priced) diff(d *PriceDraft) {
	price := d.Price != p.Price
	compare := d.CompareAt.Set && !sameAmount(d.CompareAt.Ptr(), p.CompareAt)
	p.Price = d.Price
	if compare {
		p.CompareAt = d.CompareAt.Ptr()
	}
	var fields []string
	switch {
	case price && compare:
		fields = bothFields
	case price:
		fields = priceFields
	case compare:
		fields = compareFields
	}
	if len(p.Fields) == 0 {
		p.Fields = fields
	} else {
		p.Fields = slices.Concat(fields, p.Fields)
	}
}

// diffVariant applies the price of a variant; nil if it is unchanged.
func (p *Priced) diffVariant(variant id.Variant, d *PriceDraft) *Variant {
	i := slices.IndexFunc(p.variants, func(v Variant) bool { return v.ID == variant })
	if i < 0 {
		return nil
	}
	v := &p.variants[i]
	said := VariantDraft{Price: patch.To(d.Price), CompareAt: d.CompareAt}
	if !v.diff(&said) {
		return nil
	}
	if !slices.Contains(p.Fields, "variants") {
		p.Fields = append(p.Fields[:len(p.Fields):len(p.Fields)], "variants")
	}
	return v
}
