package shopify

import (
	"slices"

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

// pictures are the product's pictures, and behind them those that the merchant has added in the shop; changed reports
// whether the shop shows others, or in another order.
func pictures(p *connector.Product, there *product) (files []vars, changed bool) {
	files = []vars{}
	own, others := inShop(p, there)
	var shown []string
	for i, image := range p.Images {
		if own[i] == "" {
			files, changed = append(files, vars{"originalSource": image.URL, "contentType": "IMAGE", "alt": connector.Cut(p.Name, 512)}), true
			continue
		}
		files, shown = append(files, vars{"id": own[i]}), append(shown, own[i])
	}
	if there == nil {
		return files, changed
	}
	ours := slices.DeleteFunc(there.media(), func(id string) bool { return slices.Contains(others, id) })
	for _, id := range others {
		files = append(files, vars{"id": id})
	}
	return files, changed || !slices.Equal(ours, shown)
}

// inShop are the shop's ids of a product's pictures, "" of those that it does not have, and of pictures that are not the
// product's. After a push without an answer, or before the first, pictures without a known id count as the product's in
// their order: they came by that push, or the merchant has chosen them.
func inShop(p *connector.Product, there *product) (own, others []string) {
	own = make([]string, len(p.Images))
	if there == nil {
		return own, nil
	}
	media := there.media()
	for i, image := range p.Images {
		if slices.Contains(media, image.Known) {
			own[i] = image.Known
		}
	}
	for _, id := range media {
		at := slices.Index(own, "")
		switch {
		case slices.Contains(own, id) || slices.Contains(p.DroppedImages, id):
		case !p.Settled && at >= 0:
			own[at] = id
		default:
			others = append(others, id)
		}
	}
	return own, others
}

// variantInput is what a form of a product shall be; old is what the shop has of it, nil if nothing.
func variantInput(f *shop, form connector.Variant, old *variant) vars {
	sku, price, before, quantity := form.SKU, form.Price, form.CompareAt, form.Quantity
	v := vars{"sku": sku, "price": price.String(), "compareAtPrice": nil}
	if quantity == connector.NotOurs {
		v["inventoryItem"] = vars{"sku": sku}
	} else {
		v["inventoryItem"] = vars{"sku": sku, "tracked": true}
	}
	if before != nil && *before > price {
		v["compareAtPrice"] = before.String()
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
