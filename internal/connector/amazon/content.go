package amazon

import (
	"encoding/json"
	"slices"
	"strings"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// form is one thing that can be bought: a product without variants, or a variant.
type form struct {
	sku        string
	price      money.Amount
	compareAt  *money.Amount
	quantity   int64
	numbers    []connector.Attribute // of the GTIN, none without
	attributes []connector.Attribute // the product's own and those by which it differs
	variant    bool
}

func forms(p *connector.Product) (list []form) {
	for _, v := range p.Forms() {
		list = append(list, form{v.SKU, v.Price, v.CompareAt, v.Quantity, v.GTINs(), append(slices.Clone(p.Attributes), v.Attributes...),
			len(p.Variants) > 0})
	}
	return list
}

// value is the value of an attribute by its name in small letters and digits, "" without one.
func (f form) value(name string) (found string) {
	for _, a := range f.attributes { // the last one is the variant's own
		if value := strings.TrimSpace(a.Value); connector.Letters(a.Name) == name && value != "" && value != "-" {
			found = value
		}
	}
	return found
}

// asin is the merchant's number in Amazon's catalog.
func (f form) asin() string { return strings.ToUpper(f.value("asin")) }

// identity is the attribute by which Amazon identifies the product: the ASIN, else a trade number; nil for neither.
func (s *session) identity(f form) (name string, value []fields) {
	if asin := f.asin(); asin != "" {
		return "merchant_suggested_asin", []fields{{"value": asin, "marketplace_id": s.market.id}}
	}
	for _, a := range f.numbers {
		return "externally_assigned_product_identifier", []fields{{"type": a.Number(), "value": a.Value, "marketplace_id": s.market.id}}
	}
	for _, a := range slices.Backward(f.attributes) {
		if kind, number := a.Number(), f.value(connector.Letters(a.Name)); kind != "" && number != "" {
			return "externally_assigned_product_identifier", []fields{{"type": kind, "value": number, "marketplace_id": s.market.id}}
		}
	}
	return "", nil
}

// full reports whether listings are created with names, texts and pictures, or only offer what Amazon's catalog has.
func (s *session) full() bool { return s.link.Channel.Settings["listing"] == "full" }

// number is an amount as a JSON number.
func (s *session) number(a money.Amount) json.Number { return json.Number(a.Text(s.market.currency)) }

// offer is the price part of a listing. Prices are in the marketplace's currency.
func (s *session) offer(price money.Amount) []fields {
	return []fields{{"marketplace_id": s.market.id, "currency": s.market.currency, "audience": "ALL",
		"our_price": []fields{{"schedule": []fields{{"value_with_tax": s.number(price)}}}}}}
}

// listPrice is the price before a reduction, or the price itself, for which Amazon shows no reduction.
func (s *session) listPrice(price money.Amount, before *money.Amount) []fields {
	if before != nil && *before > price {
		price = *before
	}
	return []fields{{"marketplace_id": s.market.id, "currency": s.market.currency, "value_with_tax": s.number(price)}}
}

func availability(quantity int64) []fields {
	return []fields{{"fulfillment_channel_code": ownChannel, "quantity": quantity}}
}

func (s *session) text(value string) []fields {
	return []fields{{"value": value, "language_tag": s.market.language, "marketplace_id": s.market.id}}
}

// content are the attributes of a form without its price and quantity.
func (s *session) content(p *connector.Product, f form) fields {
	all := fields{}
	if !s.full() {
		return all
	}
	title := []string{p.Name}
	for _, a := range f.attributes[len(p.Attributes):] { // those by which it differs
		title = append(title, a.Value)
	}
	all["item_name"] = s.text(connector.Cut(strings.Join(title, " "), 200))
	if text := connector.Plain(p.Description); text != "" {
		all["product_description"] = s.text(connector.Cut(text, 2000))
	}
	if brand := f.value("brand"); brand != "" {
		all["brand"] = s.text(brand)
	} else if brand := s.link.Channel.Settings["brand"]; brand != "" {
		all["brand"] = s.text(brand)
	}
	for i, image := range p.Images[:min(len(p.Images), mostImages)] {
		all[locator(i)] = []fields{{"media_location": image.URL, "marketplace_id": s.market.id}}
	}
	for theirs, value := range s.mapped(f) {
		all[theirs] = s.text(value)
	}
	if f.variant {
		all["parentage_level"] = []fields{{"value": "child", "marketplace_id": s.market.id}}
		all["child_parent_sku_relationship"] = []fields{{"child_relationship_type": "variation", "parent_sku": p.SKU,
			"marketplace_id": s.market.id}}
		all["variation_theme"] = []fields{{"name": s.link.Channel.Settings["variationTheme"]}}
	}
	return all
}

// parent are the attributes of the listing that groups variants and cannot be bought.
func (s *session) parent(p *connector.Product) fields {
	all := s.content(p, form{sku: p.SKU, attributes: p.Attributes})
	all["parentage_level"] = []fields{{"value": "parent", "marketplace_id": s.market.id}}
	all["variation_theme"] = []fields{{"name": s.link.Channel.Settings["variationTheme"]}}
	return all
}

// mapped are attributes under Amazon's names, by the channel's setting attributes: "Material=material,Size=size".
func (s *session) mapped(f form) map[string]string {
	all := map[string]string{}
	for pair := range strings.SplitSeq(s.link.Channel.Settings["attributes"], ",") {
		ours, theirs, ok := strings.Cut(pair, "=")
		if value := f.value(connector.Letters(ours)); ok && value != "" && strings.TrimSpace(theirs) != "" {
			all[strings.TrimSpace(theirs)] = value
		}
	}
	return all
}
