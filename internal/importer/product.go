package importer

import (
	"slices"
	"strconv"

	"entrepot/internal/base/money"
)

// product is one product to be imported (interface §2.7.1). Its texts are parts of the row that it was read from, until
// keep is called.
type product struct {
	place
	sku, name, description, status []byte
	parent                         []byte // the SKU or handle of the product whose variant this is
	price                          money.Amount
	priced                         bool
	compareAt                      money.Amount
	compareAtSet, compareAtBlank   bool // given; or its column is there and blank, which clears it
	trade
	categories []string
	images     [][]byte
	stock      int64
	stocked    bool
	warehouse  []byte
	attributes []pair
	options    []pair // what makes it a variant: Color Red, Size M
	variants   []*product
	rows       int // rows of the file it stands for

	// While the rows of one product are gathered:
	kind     string  // what its row is, when the format says so: variant, image, view
	grouped  bool    // a set of other products, which has no price of its own
	faults   []Fault // those of its row
	dropped  bool    // one of them keeps the row out
	inherits bool    // a variant without a price of its own: it has its product's
	imageAt  int     // position of its image among the product's
	ownImage []byte  // the image of this variant
	mapped   []pair  // options that a person has mapped, before the columns of the format
}

// refused is an error that accounts for all rows of the product.
func (p *product) refused(item, field, code, format string, arguments ...any) Fault {
	f := p.place.refused(item, field, code, format, arguments...)
	f.Rows = p.rows
	return f
}

// keep copies every text out of the row, so that the product remains valid after it.
func (p *product) keep() *product {
	kept := *p
	for _, text := range []*[]byte{&kept.sku, &kept.name, &kept.description, &kept.status, &kept.parent, &kept.warehouse, &kept.ownImage} {
		*text = slices.Clone(*text)
	}
	kept.trade = keepTrade(p.trade)
	kept.images = make([][]byte, len(p.images))
	for i, image := range p.images {
		kept.images[i] = slices.Clone(image)
	}
	kept.categories = slices.Clone(p.categories)
	kept.attributes, kept.options, kept.mapped = keepPairs(p.attributes), keepPairs(p.options), keepPairs(p.mapped)
	return &kept
}

func keepPairs(pairs []pair) []pair {
	kept := make([]pair, len(pairs))
	for i, p := range pairs {
		kept[i] = pair{p.name, slices.Clone(p.value)}
	}
	return kept
}

// reset makes the product empty, keeping its slices for the next row.
func (p *product) reset(at place) {
	*p = product{
		place: at, rows: 1, categories: p.categories[:0], images: p.images[:0],
		attributes: p.attributes[:0], options: p.options[:0], variants: p.variants[:0],
	}
}

// ownSKUs are the SKUs of the product and of its variants that have one.
func (p *product) ownSKUs() map[string]bool {
	taken := map[string]bool{string(p.sku): true}
	for _, v := range p.variants {
		taken[string(v.sku)] = true
	}
	return taken
}

// freeSKU is a SKU for a variant without one: the derived one, with -2, -3 … if that is taken. It is taken then.
func freeSKU(derived string, taken map[string]bool) []byte {
	free := derived
	for n := 2; taken[free]; n++ {
		free = derived + "-" + strconv.Itoa(n)
	}
	taken[free] = true
	return []byte(free)
}

// appendJSON appends the product as the bulk import takes it.
func (p *product) appendJSON(b []byte) []byte {
	o := openObject(b)
	o.text("sku", p.sku)
	o.text("name", p.name)
	p.appendPrices(&o)
	p.appendTrade(&o)
	o.textIf("description", p.description)
	o.textIf("status", p.status)
	if len(p.categories) > 0 {
		o.key("categoryIds")
		for i, id := range p.categories {
			o.b = appendNext(o.b, i)
			o.b = appendText(o.b, id)
		}
		o.b = append(o.b, ']')
	}
	if len(p.images) > 0 {
		o.key("images")
		for i, url := range p.images {
			o.b = appendNext(o.b, i)
			o.b = append(o.b, `{"url":`...)
			o.b = appendText(o.b, url)
			o.b = append(o.b, `,"position":`...)
			o.b = strconv.AppendInt(o.b, int64(i+1), 10)
			o.b = append(o.b, '}')
		}
		o.b = append(o.b, ']')
	}
	if p.stocked && len(p.variants) == 0 {
		p.appendStock(&o)
	}
	o.pairs("attributes", p.attributes)
	if len(p.variants) > 0 {
		o.key("variants")
		for i, v := range p.variants {
			o.b = appendNext(o.b, i)
			o.b = v.appendVariant(o.b)
		}
		o.b = append(o.b, ']')
	}
	return o.close()
}

func (p *product) appendVariant(b []byte) []byte {
	o := openObject(b)
	o.text("sku", p.sku)
	o.textIf("name", p.name)
	p.appendPrices(&o)
	p.appendTrade(&o)
	if p.stocked {
		o.integer("stock", p.stock) // on hand in the default warehouse; the API has no other place for it
	}
	o.pairs("attributes", withMembers(p.options, p.attributes))
	return o.close()
}

func (p *product) appendPrices(o *object) {
	if !p.inherits {
		o.key("price")
		o.b = p.price.AppendTo(o.b)
	}
	if p.compareAtSet {
		o.key("compareAtPrice")
		o.b = p.compareAt.AppendTo(o.b)
	} else if p.compareAtBlank {
		o.key("compareAtPrice")
		o.b = append(o.b, "null"...)
	}
}

func (p *product) appendStock(o *object) {
	o.key("stock")
	o.b = append(o.b, '{')
	if len(p.warehouse) > 0 {
		o.b = append(o.b, `"warehouseCode":`...)
		o.b = appendText(o.b, p.warehouse)
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, `"quantity":`...)
	o.b = strconv.AppendInt(o.b, p.stock, 10)
	o.b = append(o.b, '}')
}
