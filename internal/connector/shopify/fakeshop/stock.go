package fakeshop

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// available returns what the shop's buyers can have: the sum over all locations.
func (v *variant) available() (n int64) {
	for _, level := range v.levels {
		n += level
	}
	return n
}

// add changes the level of the first location where it is stocked.
func (v *variant) add(n int64) {
	for _, at := range slices.Sorted(maps.Keys(v.levels)) {
		v.levels[at] += n
		return
	}
}

func (s *Shop) setStock(raw json.RawMessage) (object, string) {
	var in struct {
		Key   string
		Input struct {
			Quantities []map[string]json.RawMessage
		}
	}
	_ = json.Unmarshal(raw, &in)
	if in.Key == "" {
		return nil, "IDEMPOTENCY_KEY_MISSING"
	}
	type change struct {
		at       *variant
		location string
		n        int64
	}
	var changes []change
	for i, q := range in.Input.Quantities {
		var item, location string
		var n int64
		_ = json.Unmarshal(q["inventoryItemId"], &item)
		_ = json.Unmarshal(q["locationId"], &location)
		_ = json.Unmarshal(q["quantity"], &n)
		if _, said := q["changeFromQuantity"]; !said {
			return nil, "changeFromQuantity is required"
		}
		field := "input.quantities." + strconv.Itoa(i) + ".inventoryItemId"
		v := s.variant(func(v *variant) bool { return v.item == item })
		if v == nil {
			return object{"inventorySetQuantities": object{"userErrors": refused(field, "The inventory item could not be found",
				"INVALID_INVENTORY_ITEM")}}, ""
		}
		if _, stocked := v.levels[location]; !stocked {
			return object{"inventorySetQuantities": object{"userErrors": refused(field, "The item is not stocked at the location",
				"ITEM_NOT_STOCKED_AT_LOCATION")}}, ""
		}
		changes = append(changes, change{v, location, n})
	}
	if !s.keys[in.Key] {
		for _, c := range changes {
			c.at.levels[c.location] = c.n
			s.Notices.Add("INVENTORY_LEVELS_UPDATE", object{"inventory_item_id": c.at.item[strings.LastIndexByte(c.at.item, '/')+1:],
				"available": c.n})
		}
		s.keys[in.Key] = true
	}
	return object{"inventorySetQuantities": object{"userErrors": []object{}}}, ""
}

// Count sets the available quantity of a SKU, as a person in the shop's admin does.
func (s *Shop) Count(sku string, quantity int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.variant(func(v *variant) bool { return v.sku == sku })
	v.add(quantity - v.available())
	s.Notices.Add("INVENTORY_LEVELS_UPDATE", object{"inventory_item_id": v.item[strings.LastIndexByte(v.item, '/')+1:], "available": quantity})
}

// Serve gives an item to a fulfilment service, which keeps its stock at a location of its own.
func (s *Shop) Serve(sku string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.variant(func(v *variant) bool { return v.sku == sku })
	v.serviced, v.levels = true, map[string]int64{"gid://shopify/Location/service": 0}
}

// isOpen reports whether stock can be kept at a location.
func (s *Shop) isOpen(id string) bool {
	for i, l := range s.locations {
		if id == locationID(i) {
			return l.open
		}
	}
	return false
}

func (s *Shop) activate(raw json.RawMessage) (object, string) {
	var in struct{ Item, Location, Key string }
	_ = json.Unmarshal(raw, &in)
	v := s.variant(func(v *variant) bool { return v.item == in.Item })
	if v == nil {
		return object{"inventoryActivate": object{"userErrors": refused("inventoryItemId", "The inventory item could not be found.", "")}}, ""
	}
	switch {
	case !s.isOpen(in.Location):
		return object{"inventoryActivate": object{"userErrors": refused("locationId", "The location could not be found.", "")}}, ""
	case v.serviced:
		return object{"inventoryActivate": object{"userErrors": refused("locationId",
			"The item is stocked at the location of a fulfillment service and cannot be stocked at another one.", "")}}, ""
	}
	v.levels[in.Location] += 0
	return object{"inventoryActivate": object{"userErrors": []object{}}}, ""
}

func (s *Shop) stock(raw json.RawMessage) (object, string) {
	var in struct {
		IDs      []string
		Location string
	}
	_ = json.Unmarshal(raw, &in)
	nodes := []any{}
	for _, id := range in.IDs {
		v := s.variant(func(v *variant) bool { return v.item == id })
		if v == nil {
			nodes = append(nodes, nil)
		} else if n, stocked := v.levels[in.Location]; stocked {
			nodes = append(nodes, object{"id": id, "inventoryLevel": object{"quantities": []object{{"quantity": n}}}})
		} else {
			nodes = append(nodes, object{"id": id, "inventoryLevel": nil})
		}
	}
	return object{"nodes": nodes}, ""
}

func (s *Shop) setPrices(raw json.RawMessage) (object, string) {
	var in struct {
		Product  string
		Variants []struct {
			ID, Price      string
			CompareAtPrice *string
		}
	}
	_ = json.Unmarshal(raw, &in)
	errors := []object{}
	for i, c := range in.Variants {
		v := s.variant(func(v *variant) bool { return v.id == c.ID })
		if v == nil {
			errors = append(errors, refused("variants."+strconv.Itoa(i)+".id", "Product variant does not exist",
				"PRODUCT_VARIANT_DOES_NOT_EXIST")...)
			continue
		}
		v.price, v.before = c.Price, ""
		if c.CompareAtPrice != nil {
			v.before = *c.CompareAtPrice
		}
	}
	s.Notices.Add("PRODUCTS_UPDATE", object{"admin_graphql_api_id": in.Product})
	return object{"productVariantsBulkUpdate": object{"userErrors": errors}}, ""
}
