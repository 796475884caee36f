package fakeshop

import (
	"maps"
	"slices"
	"strings"
)

// AddImage gives a product a picture, as its merchant may.
func (s *Shop) AddImage(sku, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.owner(sku, 0)
	p.images = append(p.images, s.addMedia(address))
}

// AddAttribute gives a product a value of an attribute of the whole shop, as its merchant may.
func (s *Shop) AddAttribute(sku, name, value string, variation bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := map[string]any{"id": float64(s.attributeID(name)), "name": name, "visible": true, "variation": variation, "options": []any{value}}
	p := s.owner(sku, 0)
	list, _ := p.attributes.([]any)
	p.attributes = append(list, one)
}

// AddOwnAttribute gives a product an attribute of its own, as its merchant may.
func (s *Shop) AddOwnAttribute(sku, name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.owner(sku, 0)
	list, _ := p.attributes.([]any)
	p.attributes = append(list, map[string]any{"id": 0.0, "name": name, "visible": true, "variation": false, "options": []any{value}})
}

// AddToCategory puts a product into one more category, as its merchant may.
func (s *Shop) AddToCategory(sku string, category int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.owner(sku, 0)
	p.categories = append(p.categories, category)
}

// Categories returns the ids of a product's categories.
func (s *Shop) Categories(sku string) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.owner(sku, 0).categories)
}

func (s *Shop) attributeID(name string) int64 {
	for id, known := range s.common {
		if known == name {
			return id
		}
	}
	if s.common == nil {
		s.common = map[int64]string{}
	}
	id := s.id()
	s.common[id] = name
	return id
}

// AddVariation adds a variation to a product, as its merchant may: of its first attribute, which gets the value.
func (s *Shop) AddVariation(parent, sku, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.owner(parent, 0)
	list, _ := p.attributes.([]any)
	first, _ := list[0].(map[string]any)
	options, _ := first["options"].([]any)
	first["options"] = append(options, value)
	v := &product{id: s.id(), parent: p.id, kind: "variation", status: "publish", sku: sku, regular: "5", modified: s.now(),
		attributes: []any{map[string]any{"id": first["id"], "name": first["name"], "option": value}}}
	s.products[v.id] = v
}

// Attributes returns what a product or variation has, as "Size: S|M"; those of the whole shop with a star before them.
func (s *Shop) Attributes(sku string) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, _ := s.owner(sku, 0).attributes.([]any)
	for _, a := range all {
		one, _ := a.(map[string]any)
		name, _ := one["name"].(string)
		if id, _ := one["id"].(float64); id != 0 {
			name = "*" + name
		}
		values := map[string]bool{}
		options, _ := one["options"].([]any)
		for _, o := range append(options, one["option"]) {
			if value, ok := o.(string); ok {
				values[value] = true
			}
		}
		list = append(list, name+": "+strings.Join(slices.Sorted(maps.Keys(values)), "|"))
	}
	slices.Sort(list)
	return list
}

// ForgetImages empties the media library, as its merchant may.
func (s *Shop) ForgetImages() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.media)
	for _, p := range s.products {
		p.images = nil
	}
}

// AddProduct puts a product into the shop as its merchant would.
func (s *Shop) AddProduct(sku, name, price string, quantity int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &product{
		id:         s.id(),
		kind:       "simple",
		status:     "publish",
		sku:        sku,
		name:       name,
		regular:    price,
		managed:    true,
		quantity:   quantity,
		modified:   s.now(),
		attributes: []any{},
	}
	s.products[p.id] = p
	return p.id
}

// Specialise makes a product one of another kind, as plugins do.
func (s *Shop) Specialise(sku, kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owner(sku, 0).kind = kind
}

// Rename gives a product or variation another SKU, as its merchant may.
func (s *Shop) Rename(sku, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.owner(sku, 0)
	p.sku = to
	s.notify("product.updated", p.id)
}

// Description returns what buyers read of a product.
func (s *Shop) Description(sku string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner(sku, 0).description
}
