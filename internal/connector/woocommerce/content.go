package woocommerce

import (
	"context"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// productBody is the request body of a product.
func (s *session) productBody(ctx context.Context, u *upsert) (map[string]any, error) {
	body := map[string]any{"name": u.Name, "sku": u.SKU, "type": "simple", "status": shopStatus(u.OnSale)}
	if u.Describes() {
		body["description"] = u.Description
	}
	categories, err := s.categories(ctx, u.Categories)
	if err != nil {
		return nil, err
	}
	if all := u.withTheirs(categories); all != nil {
		body["categories"] = all
	}
	images := []map[string]any{}
	for i, image := range u.Images {
		if image.Known != "" {
			images = append(images, map[string]any{"id": flexible(image.Known).number(), "position": i})
		} else {
			images = append(images, map[string]any{"src": image.URL, "position": i})
		}
	}
	for _, other := range u.others {
		images = append(images, map[string]any{"id": flexible(other).number(), "position": len(images)})
	}
	body["images"] = images
	for name, member := range map[string]string{"taxClass": "tax_class", "shippingClass": "shipping_class"} {
		// otherwise the shop's usual one, or what its merchant chose
		if slug := s.link.Channel.Term(&u.Product, name); slug != "" {
			body[member] = slug
		}
	}
	if err := s.trade(ctx, body, u.Trade); err != nil {
		return nil, err
	}
	if body["attributes"], err = s.attributes(ctx, u); err != nil {
		return nil, err
	}
	if len(u.Variants) == 0 {
		prices(body, u.Price, u.CompareAt, u.Currency)
		quantity(body, u.Quantity)
	} else {
		body["type"], body["manage_stock"] = "variable", false
		if u.there.ID == "" || u.there.Status != "publish" {
			body["status"] = "draft" // until its variations are there
		}
	}
	if u.there.special() {
		delete(body, "type")
	}
	return body, nil
}

// trade writes the GTIN and the weight, as far as they are set: otherwise what the merchant entered in the shop stays.
func (s *session) trade(ctx context.Context, body map[string]any, t connector.Trade) error {
	if t.GTIN != "" {
		body["global_unique_id"] = t.GTIN
	}
	if t.Weight == nil {
		return nil
	}
	unit, err := s.weightUnit(ctx)
	if weight := connector.WeightIn(t.Weight, unit); weight != "" {
		body["weight"] = weight
	}
	return err
}

// weightUnit is the unit of the shop's weights, read once in the session's lifetime; "" if the key may not read it.
func (s *session) weightUnit(ctx context.Context) (string, error) {
	if s.unit == nil {
		var setting struct {
			Value flexible `json:"value"`
		}
		_, err := s.get(ctx, "/settings/products/woocommerce_weight_unit", nil, &setting)
		if f := connector.FailureOf(err); f != nil && !f.Lasting() {
			return "", err
		}
		s.unit = (*string)(&setting.Value)
	}
	return *s.unit, nil
}

func shopStatus(onSale bool) string {
	if onSale {
		return "publish"
	}
	return "draft"
}

// prices writes a price with its reduction. The shop accepts any text as a price and stores an invalid one as empty.
func prices(body map[string]any, price money.Amount, compareAt *money.Amount, currency string) {
	body["regular_price"], body["sale_price"] = price.Text(currency), ""
	if compareAt != nil && *compareAt > price {
		body["regular_price"], body["sale_price"] = compareAt.Text(currency), price.Text(currency)
	}
}

// quantity writes stock. Without manage_stock the shop silently ignores it.
func quantity(body map[string]any, n int64) {
	if n != connector.NotOurs {
		body["manage_stock"], body["stock_quantity"] = true, n
	}
}
