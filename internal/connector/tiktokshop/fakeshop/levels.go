package fakeshop

import (
	"encoding/json"
	"fmt"
	"slices"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// each runs a change of SKUs; refused SKUs are listed in an answer with code 0.
func (s *Shop) each(c call, change func(p *product, k *sku, in object) string) reply {
	p := s.find(c.PathValue("id"))
	if p == nil {
		return noProduct
	}
	failures := []object{}
	for _, one := range c.list("skus") {
		in, _ := one.(object)
		id := fmt.Sprint(in["id"])
		reason := "The SKU does not exist"
		if k := p.item(id); k != nil {
			reason = change(p, k, in)
		}
		if reason != "" && s.Faults.Nameless {
			failures = append(failures, object{"code": 12052251, "message": reason})
		} else if reason != "" {
			failures = append(failures, object{"code": 12052251, "message": "Some SKUs failed",
				"detail": object{"sku_id": id, "extra_errors": []object{{"code": 1, "message": reason}}}})
		}
	}
	return good(object{"errors": failures})
}

func (s *Shop) setStock(c call) reply {
	return s.each(c, func(_ *product, k *sku, in object) string {
		list, _ := in["inventory"].([]any)
		named := map[string]bool{}
		for _, one := range list {
			held, _ := one.(object)
			named[fmt.Sprint(held["warehouse_id"])] = true
			if held["warehouse_id"] == TikToks {
				return "The warehouse is managed by TikTok"
			}
			number, _ := held["quantity"].(json.Number)
			n, err := number.Int64()
			if err != nil || n < 0 {
				return "The quantity is invalid"
			}
			k.stock[fmt.Sprint(held["warehouse_id"])] = n
		}
		for place := range k.stock {
			if place != TikToks && !named[place] {
				return "The warehouses of the SKU are not all named"
			}
		}
		return ""
	})
}

func (s *Shop) setPrices(c call) reply {
	return s.each(c, func(p *product, k *sku, in object) string {
		price, _ := in["price"].(object)
		if p.status != "ACTIVATE" {
			return "The product is not active"
		}
		k.price = fmt.Sprint(price["amount"])
		return ""
	})
}

func (s *Shop) inventory(c call) reply {
	s.settle()
	wanted, list := c.texts("sku_ids"), []object{}
	if len(wanted) > 600 {
		return refused(36009001, "Too many SKUs")
	}
	for _, p := range s.products {
		skus := []object{}
		for _, k := range p.skus {
			if p.status == "DELETED" || !slices.Contains(wanted, k.id) {
				continue
			}
			places := []object{}
			for warehouse, n := range k.stock {
				places = append(places, object{"warehouse_id": warehouse, "available_quantity": n, "committed_quantity": 0})
			}
			skus = append(skus, object{"id": k.id, "seller_sku": k.sku, "total_available_quantity": k.total(), "warehouse_inventory": places})
		}
		if len(skus) > 0 {
			list = append(list, object{"product_id": p.id, "skus": skus})
		}
	}
	return good(object{"inventory": list})
}

// Item is what the shop shows of a SKU.
type Item struct {
	Product, Status, Price string
	Quantity               int64
	SKUs                   int // of its product
}

// Items returns the SKUs of products that are there, and those that stand in more than one.
func (s *Shop) Items() (items map[string]Item, doubled []string) {
	items = map[string]Item{}
	s.change(func() {
		s.settle()
		for _, p := range s.products {
			for _, k := range p.skus {
				if p.status == "DELETED" {
					continue
				}
				if _, twice := items[k.sku]; twice {
					doubled = append(doubled, k.sku)
				}
				items[k.sku] = Item{p.id, p.status, k.price, k.total(), len(p.skus)}
			}
		}
	})
	return items, doubled
}

// Pictures returns how many were uploaded.
func (s *Shop) Pictures() (n int) { s.change(func() { n = len(s.pictures) }); return n }

// Images returns what the pictures of a SKU's product contain; taken is how many were uploaded in all.
func (s *Shop) Images(name string) (shown []string, taken int) {
	s.change(func() {
		for _, p := range s.products {
			for _, image := range p.images {
				at, named := 0, ""
				if one, ok := image.(object); ok {
					named, _ = one["uri"].(string)
				}
				_, err := fmt.Sscanf(named, "tos-fake/%d", &at)
				if err == nil && slices.ContainsFunc(p.skus, func(k *sku) bool { return k.sku == name }) {
					shown = append(shown, s.pictures[at-1])
				}
			}
		}
		taken = len(s.pictures)
	})
	return shown, taken
}

// SetStock is a count that the merchant changes, in a warehouse of the shop.
func (s *Shop) SetStock(name, warehouse string, quantity int64) {
	s.change(func() {
		if k := s.sku(name); k != nil {
			k.stock[warehouse] = quantity
		}
	})
}

// Delete is a product that the merchant deletes, by one of its SKUs.
func (s *Shop) Delete(name string) {
	s.change(func() {
		for _, p := range s.products {
			if slices.ContainsFunc(p.skus, func(k *sku) bool { return k.sku == name }) {
				p.status = "DELETED"
			}
		}
	})
}

// AddProduct puts a product of the merchant's own on sale.
func (s *Shop) AddProduct(title string, skus ...string) (id string) {
	s.change(func() {
		p := &product{id: s.id(), title: title, status: "ACTIVATE", category: "853000"}
		for _, name := range skus {
			p.skus = append(p.skus, &sku{id: s.id(), sku: name, price: "1.00", stock: map[string]int64{Warehouse: 1}})
		}
		s.products = append(s.products, p)
		id = p.id
	})
	return id
}

func (s *Shop) sku(name string) *sku {
	for _, p := range s.products {
		for _, k := range p.skus {
			if k.sku == name && p.status != "DELETED" {
				return k
			}
		}
	}
	return nil
}

// OnSale returns the SKUs that a buyer can order, with what one costs in hundredths.
func (s *Shop) OnSale() map[string]int64 {
	items, _ := s.Items()
	found := map[string]int64{}
	for name, item := range items {
		if cents, ok := fakeshop.Cents(item.Price); ok && item.Status == "ACTIVATE" && item.Quantity > 0 {
			found[name] = cents
		}
	}
	return found
}
