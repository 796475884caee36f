package ebay

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// identifier is the list of a product's numbers in eBay's catalog to which an attribute belongs, "" for other
// attributes.
func identifier(a connector.Attribute) string {
	switch kind := a.Number(); {
	case kind == "gtin" && len(strings.TrimSpace(a.Value)) == len("012345678905"):
		return "upc"
	case kind == "gtin" && len(strings.TrimSpace(a.Value)) == len("01234567890128"):
		return "" // of a box, which eBay's catalog does not have
	case kind == "gtin":
		return "ean"
	default:
		return kind
	}
}

// item is the whole item of a form, because eBay deletes what is left out. Members that the seller has entered at
// eBay and the service does not know, such as another condition, stay.
func item(l *listing, f connector.Variant) fields {
	there, known := l.there[f.SKU]
	body, aspects := there.kept(), map[string][]string{}
	product := body.part("product")
	for _, a := range f.Numbers(l.Product) {
		if kind := identifier(a); kind != "" {
			product[kind] = []string{strings.TrimSpace(a.Value)}
		}
	}
	for _, a := range append(shownAttributes(l.Product), f.Differs()...) {
		if a.Value != "" {
			aspects[aspectName(a)] = []string{aspectValue(a)}
		}
	}
	maps.Copy(product, fields{"title": connector.Cut(l.Name, 80), "description": kept(l.Product, product["description"], itemText(l.Product)),
		"aspects": aspects, "imageUrls": pictures(l.Product)})
	body["product"] = product
	if body["condition"] == nil {
		body["condition"] = "NEW"
	}
	quantity := f.Quantity
	if known && quantity == connector.NotOurs {
		quantity = there.quantity()
	}
	if quantity != connector.NotOurs {
		available := body.part("availability")
		available["shipToLocationAvailability"], body["availability"] = fields{"quantity": quantity}, available
	}
	return body
}

// parcel is the weight of a form, and the weight and the size of a package by the channel's settings packageWeight and packageSize (30x20x10),
// which a seller with calculated shipping needs; empty without them. They are in kilograms and centimetres, in the
// United States in pounds and inches.
func (s *session) parcel(kilograms *money.Amount) fields {
	weight, length := "KILOGRAM", "CENTIMETER"
	if s.market.currency == "USD" {
		weight, length = "POUND", "INCH"
	}
	number := func(text string) json.Number {
		if v, err := money.Parse(strings.TrimSpace(text)); err == nil && v > 0 {
			return json.Number(v.String())
		}
		return ""
	}
	all := fields{}
	if n := number(cmp.Or(connector.WeightIn(kilograms, weight), s.link.Channel.Value("packageWeight"))); n != "" {
		all["weight"] = fields{"value": n, "unit": weight}
	}
	if sides := strings.Split(s.link.Channel.Value("packageSize"), "x"); len(sides) == 3 {
		size := fields{"unit": length}
		for i, name := range []string{"length", "width", "height"} {
			if n := number(sides[i]); n != "" {
				size[name] = n
			}
		}
		if len(size) == 4 {
			all["dimensions"] = size
		}
	}
	return all
}

// shownAttributes are a product's own attributes without its numbers.
func shownAttributes(p *connector.Product) []connector.Attribute {
	return slices.DeleteFunc(slices.Clone(p.Attributes), func(a connector.Attribute) bool { return a.Number() != "" })
}

// eBay takes so many characters of an aspect's name and value.
func aspectName(a connector.Attribute) string { return connector.Cut(a.Name, 40) }

func aspectValue(a connector.Attribute) string { return connector.Cut(a.Value, 65) }

// Bounds of texts, in characters with their markup.
const (
	mostText     = 500_000 // of what buyers read
	mostItemText = 4000    // of an item's own text
)

// text is what buyers read of a product.
func text(p *connector.Product) string {
	if p.Description == "" {
		return p.Name
	}
	return connector.Cut(p.Description, mostText)
}

// kept is the seller's text at eBay, for a product without one.
func kept(p *connector.Product, there any, own string) string {
	if text, _ := there.(string); text != "" && !p.Describes() {
		return text
	}
	return own
}

// itemText is the text of an item. A text that is too long loses its markup, because markup must not be cut in two.
func itemText(p *connector.Product) string {
	if whole := text(p); utf8.RuneCountInString(whole) <= mostItemText {
		return whole
	}
	return connector.Cut(markup.ReplaceAllString(p.Description, " "), mostItemText)
}

// markup is a tag of HTML.
var markup = regexp.MustCompile(`<[^>]*>`)

func pictures(p *connector.Product) []string {
	var list []string
	for _, image := range p.Images {
		list = append(list, image.URL)
	}
	return list[:min(24, len(list))]
}

// itemGroup has the variants and the properties in which they differ, other than by their numbers.
func itemGroup(p *connector.Product) fields {
	var skus, names []string
	values := map[string][]string{}
	for _, v := range p.Variants {
		skus = append(skus, v.SKU)
		for _, a := range v.Differs() {
			name, value := aspectName(a), aspectValue(a)
			if value == "" {
				continue
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			if !slices.Contains(values[name], value) {
				values[name] = append(values[name], value)
			}
		}
	}
	var specifications []fields
	for _, name := range names {
		specifications = append(specifications, fields{"name": name, "values": values[name]})
	}
	aspects := map[string][]string{}
	for _, a := range shownAttributes(p) {
		if name := aspectName(a); !slices.Contains(names, name) && a.Value != "" {
			aspects[name] = []string{aspectValue(a)}
		}
	}
	return fields{"title": connector.Cut(p.Name, 80), "description": text(p), "aspects": aspects, "imageUrls": pictures(p),
		"variantSKUs": skus, "variesBy": fields{"specifications": specifications}}
}
