package tiktokshop

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"entrepot/internal/connector"
)

// content is the whole product for the shop without its images, because what is left out would be deleted. What the
// category requires and the product lacks is reported here, before anything is sent.
func (s *session) content(ctx context.Context, p *connector.Product, old *product) (fields, error) {
	warehouse, err := s.salesWarehouse(ctx)
	if err != nil {
		return nil, err
	}
	market, err := s.market(ctx)
	if err != nil {
		return nil, err
	}
	category, err := s.category(ctx, p, old)
	if err != nil {
		return nil, err
	}
	demands, err := s.categoryRules(ctx, category)
	if err != nil {
		return nil, err
	}
	attributes, err := demands.fit(p, old, s.link.Channel.Value)
	if err != nil {
		return nil, err
	}
	brand, err := s.brand(ctx, p, old, category)
	if err != nil {
		return nil, err
	}
	body := fields{"title": connector.Cut(p.Name, 255), "description": text(p, old), "category_id": category,
		"category_version": market.categories(), "external_product_id": p.ID, "skus": skus(p, old, warehouse), "save_mode": "LISTING",
		"package_weight": fields{"value": cmp.Or(connector.WeightIn(p.Weight, market.weight()), s.link.Channel.Value("packageWeight"), "0.5"), "unit": market.weight()}}
	if size := strings.Split(s.link.Channel.Value("packageSize"), "x"); len(size) == 3 {
		body["package_dimensions"] = fields{"length": size[0], "width": size[1], "height": size[2], "unit": market.length()}
	}
	if len(attributes) > 0 {
		body["product_attributes"] = attributes
	}
	if brand != "" {
		body["brand_id"] = brand
	}
	for setting, member := range map[string]string{"manufacturerId": "manufacturer_ids", "responsiblePersonId": "responsible_person_ids"} {
		if id := s.link.Channel.Value(setting); id != "" {
			body[member] = []string{id}
		}
	}
	if old != nil && len(old.SizeChart) > 0 {
		body["size_chart"] = old.SizeChart
	}
	if old != nil && len(old.Certificates) > 0 {
		body["certifications"] = old.Certificates
	}
	if !p.OnSale && old == nil {
		body["save_mode"] = "AS_DRAFT"
	}
	return body, nil
}

// mostText is how many characters of a description TikTok takes, with its markup.
const mostText = 10_000

// picture is an image in a text: TikTok takes only those that it serves itself.
var picture = regexp.MustCompile(`(?i)<img\b[^>]*>`)

// text is the text that buyers read: the product's description without its images. A text that is too long loses its
// markup, which must not be cut in two. A product without a description has the merchant's text in the shop.
func text(p *connector.Product, old *product) string {
	if old != nil && old.Text != "" && !p.Describes() {
		return old.Text
	}
	whole := strings.TrimSpace(picture.ReplaceAllString(p.Description, ""))
	if utf8.RuneCountInString(whole) > mostText {
		whole = connector.Cut(connector.Plain(whole), mostText)
	}
	return cmp.Or(whole, p.Name)
}

// skus are what is sold of a product.
func skus(p *connector.Product, old *product, warehouse string) (list []fields) {
	for _, f := range p.Forms() {
		one := fields{"seller_sku": f.SKU, "external_sku_id": f.SKU,
			"price": fields{"amount": f.Price.Text(p.Currency), "currency": p.Currency}}
		if old != nil && old.sku(f.SKU) != "" {
			one["id"] = old.sku(f.SKU)
		}
		if f.Quantity != connector.NotOurs || old == nil {
			one["inventory"] = []fields{{"warehouse_id": warehouse, "quantity": max(f.Quantity, 0)}}
		}
		var attributes []fields
		for _, a := range f.Differs() {
			attributes = append(attributes, fields{"name": connector.Cut(a.Name, 20), "value_name": connector.Cut(a.Value, 50)})
		}
		if len(attributes) > 0 {
			one["sales_attributes"] = attributes
		}
		if number := numberOf(p, f, old); number != nil {
			one["identifier_code"] = number
		}
		list = append(list, one)
	}
	return list
}

// numberOf is the trade number of a form, else the one that the merchant has entered in the shop.
func numberOf(p *connector.Product, f connector.Variant, old *product) map[string]any {
	for _, a := range f.Numbers(p) {
		return map[string]any{"code": strings.TrimSpace(a.Value), "type": strings.ToUpper(a.Number())}
	}
	if old != nil {
		for _, k := range old.SKUs {
			if k.SKU == f.SKU {
				return k.Number
			}
		}
	}
	return nil
}

// finish adds the pictures to a product's content.
func finish(body fields, p *connector.Product, old *product, images map[string]string) {
	if old == nil {
		body["idempotency_key"] = keyOf(body, p)
	}
	var pictures []fields
	for _, image := range p.Images[:min(len(p.Images), mostImages)] {
		pictures = append(pictures, fields{"uri": images[image.ID]})
	}
	body["main_images"] = pictures
}

// keyOf is equal for the same product with the same content and pictures: the shop creates it once, even if the first
// answer was lost. It is made of our names of the pictures, because TikTok names a picture anew each time it is sent.
// A product that replaces a deleted one has another key.
func keyOf(body fields, p *connector.Product) string {
	names := []string{p.Known.Product}
	for _, image := range p.Images {
		names = append(names, image.ID, image.URL)
	}
	text, err := json.Marshal([]any{body, names})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
