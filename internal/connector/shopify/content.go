package shopify

import (
	"entrepot/internal/connector"
)

// handle is the product's part of an address. It ends with the product's own part, so that a merchant's product with
// the same name has another address.
func handle(p *connector.Product) string {
	name := p.Slug
	if name == "" {
		name = p.Name
	}
	own := p.ID
	if len(own) > 8 {
		own = own[len(own)-8:]
	}
	return connector.Slug(name) + "-" + connector.Slug(own)
}

// input is what the product shall be. Errors: Failure Rejected if the merchant's own variants cannot stay beside it.
func input(f *shop, p *connector.Product, there *product) (vars, error) {
	status := "DRAFT"
	if p.OnSale {
		status = "ACTIVE"
	}
	in := vars{"title": connector.Cut(p.Name, 255), "status": status}
	if p.Describes() {
		in["descriptionHtml"] = p.Description
	}
	if there == nil {
		in["handle"] = handle(p)
	}
	if n := len(p.Categories); n > 0 {
		in["productType"] = connector.Cut(p.Categories[n-1].Name, 255)
	}
	if files, changed := pictures(p, there); changed || there == nil {
		in["files"] = files
	}
	options, list, err := variants(f, p, there)
	in["productOptions"], in["variants"] = options, list
	return in, err
}

// variantInput is what a form of a product shall be; old is what the shop has of it, nil if nothing.
func variantInput(f *shop, form connector.Variant, old *variant) vars {
	sku, price, before, quantity := form.SKU, form.Price, form.CompareAt, form.Quantity
	v := vars{"sku": sku, "price": priceIn(f.currency, price), "compareAtPrice": nil}
	item := vars{"sku": sku}
	if quantity != connector.NotOurs {
		item["tracked"] = true
	}
	v["inventoryItem"] = item
	trade(f, v, item, form.Trade)
	if before != nil && *before > price {
		v["compareAtPrice"] = priceIn(f.currency, *before)
	}
	if old != nil {
		v["id"] = old.ID
		old.keepPolicy(v)
		if form.Known.Variant != "" {
			return v
		}
	}
	if quantity == connector.NotOurs {
		return v
	}
	if old == nil {
		v["inventoryPolicy"] = "DENY"
	}
	v["inventoryQuantities"] = []vars{{"locationId": f.location, "name": "available", "quantity": quantity}}
	return v
}

// trade writes the barcode of a variant, and cost, weight and origin of its inventory item, as far as they are set:
// otherwise what the merchant entered in the shop stays.
func trade(f *shop, v, item vars, t connector.Trade) {
	if t.GTIN != "" {
		v["barcode"] = t.GTIN
	}
	if t.Cost != nil {
		item["cost"] = priceIn(f.currency, *t.Cost)
	}
	if t.Weight != nil {
		item["measurement"] = vars{"weight": vars{"value": connector.Number(t.Weight.String()), "unit": "KILOGRAMS"}}
	}
	if t.Origin != "" && t.Origin != "XK" { // Shopify's list is that of ISO 3166-1
		item["countryCodeOfOrigin"] = t.Origin
	}
}
