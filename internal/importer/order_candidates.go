package importer

import "entrepot/internal/base/money"

// candidates are the products in an order file, in the order of their first lines; missing ones are created. The
// memory grows with the number of distinct SKUs.
type candidates struct {
	bySKU map[string]int
	list  []candidate
}

type candidate struct {
	sku, name string
	price     money.Amount
}

func newCandidates() *candidates { return &candidates{bySKU: map[string]int{}} }

// add takes the first name and the first price above 0 of each SKU.
func (c *candidates) add(sku, name []byte, price money.Amount) {
	at, known := c.bySKU[string(sku)]
	if !known {
		at = len(c.list)
		c.list = append(c.list, candidate{sku: string(sku)})
		c.bySKU[c.list[at].sku] = at
	}
	one := &c.list[at]
	if one.name == "" {
		one.name = string(name)
	}
	if one.price == 0 {
		one.price = price
	}
}

// appendJSON appends a candidate in the form of the bulk import; without a name the SKU is the name.
func (c candidate) appendJSON(b []byte) []byte {
	p := product{sku: []byte(c.sku), name: []byte(c.name), price: c.price}
	if c.name == "" {
		p.name = p.sku
	}
	return p.appendJSON(b)
}
