package exports

import (
	"strings"

	"entrepot/internal/base/money"
	"entrepot/internal/base/workbook"
	"entrepot/internal/catalog"
)

// ProductColumns are the columns of products. The importer reads all of them: a file that is imported again changes nothing.
// Stock has a file of its own, and attributes, whose names differ from product to product, are in JSON lines only.
var ProductColumns = []string{"sku", "parent", "name", "description", "status", "price", "compareAtPrice", "categoryIds", "images", "gtin",
	"weightKg", "cost", "taxClass", "countryOfOrigin"}

// Product are the rows of a product: its own, and one for each variant, whose parent it is.
func Product(p *catalog.Product) (rows [][]workbook.Value) {
	text := workbook.Text
	var categories, images []string
	for _, l := range p.Links {
		categories = append(categories, l.Reference)
	}
	for _, i := range p.Images() {
		images = append(images, i.URL)
	}
	rows = append(rows, append([]workbook.Value{text(p.SKU), text(""), text(p.Name), text(p.Description), text(string(p.Status)),
		decimal(&p.Price), decimal(p.CompareAt), text(strings.Join(categories, "|")), text(strings.Join(images, "|"))}, trade(&p.Trade)...))
	for _, v := range p.Variants {
		rows = append(rows, append([]workbook.Value{text(v.SKU), text(p.SKU), text(v.Name), text(""), text(""), decimal(v.Price),
			decimal(v.CompareAt), text(""), text("")}, trade(&v.Trade)...))
	}
	return rows
}

func trade(t *catalog.Trade) []workbook.Value {
	return []workbook.Value{workbook.Text(t.GTIN), decimal(t.Weight), decimal(t.Cost), workbook.Text(t.TaxClass), workbook.Text(t.Origin)}
}

// decimal is a number that no reader takes for another: three decimals look like thousands, so there are two, or four. nil is
// blank.
func decimal(a *money.Amount) workbook.Value {
	if a == nil {
		return workbook.Amount("")
	}
	text := a.String()
	if _, digits, _ := strings.Cut(text, "."); len(digits)%2 == 1 {
		text += "0"
	}
	return workbook.Amount(text)
}
