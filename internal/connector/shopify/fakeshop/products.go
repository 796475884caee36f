package fakeshop

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/connector/connectortest/fakeshop"
)

func (p *product) show() object {
	media, variants := []object{}, []object{}
	for _, m := range p.media {
		media = append(media, object{"id": m, "status": p.shop.pictureState(m)})
	}
	for _, v := range p.variants {
		options := []object{}
		for _, o := range v.options {
			options = append(options, object{"name": o.OptionName, "value": o.Name})
		}
		variants = append(variants, object{"id": v.id, "sku": v.sku, "price": v.price, "inventoryPolicy": v.policy, "selectedOptions": options,
			"inventoryItem": object{"id": v.item}})
	}
	address := any(nil)
	if p.published {
		address = p.address()
	}
	return object{"id": p.id, "handle": p.handle, "status": p.status, "onlineStoreUrl": address,
		"media": object{"nodes": media}, "variants": object{"nodes": variants}}
}

func (p *product) address() string { return "https://fake.example/products/" + p.handle }

func (s *Shop) product(match func(*product) bool) *product {
	for _, p := range s.products {
		if match(p) {
			return p
		}
	}
	return nil
}

func (s *Shop) variant(match func(*variant) bool) *variant {
	for _, p := range s.products {
		for _, v := range p.variants {
			if match(v) {
				return v
			}
		}
	}
	return nil
}

type identifier struct{ ID, Handle string }

func (s *Shop) identified(i *identifier) *product {
	if i == nil {
		return nil
	}
	return s.product(func(p *product) bool { return i.ID != "" && p.id == i.ID || i.Handle != "" && p.handle == i.Handle })
}

func (s *Shop) find(raw json.RawMessage) (object, string) {
	var in struct {
		Identifier identifier
		SKUs       string
	}
	_ = json.Unmarshal(raw, &in)
	out := object{"productByIdentifier": nil}
	if p := s.identified(&in.Identifier); p != nil {
		out["productByIdentifier"] = p.show()
	}
	nodes := []object{}
	for _, p := range s.products {
		for _, v := range p.variants {
			if !s.Faults.Blind && searched(in.SKUs, v.sku) {
				nodes = append(nodes, object{"sku": v.sku, "product": object{"id": p.id, "handle": p.handle}})
			}
		}
	}
	out["productVariants"] = object{"nodes": nodes}
	return out, ""
}

// searched reports whether a search names a SKU, in quotes of either kind, whatever its case.
func searched(search, sku string) bool {
	for _, quote := range []string{"'", `"`} {
		term := quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(sku) + quote
		if strings.Contains(strings.ToLower(search), strings.ToLower(term)) {
			return true
		}
	}
	return false
}

func (s *Shop) findProduct(raw json.RawMessage) (object, string) {
	found, wrong := s.find(raw)
	return object{"productByIdentifier": found["productByIdentifier"]}, wrong
}

// findNew finds products by some SKUs, and each of several addresses under its alias.
func (s *Shop) findNew(raw json.RawMessage) (object, string) {
	out, wrong := s.find(raw)
	delete(out, "productByIdentifier")
	var all map[string]json.RawMessage
	_ = json.Unmarshal(raw, &all)
	for name, value := range all {
		var i identifier
		if number, ok := strings.CutPrefix(name, "identifier"); ok && json.Unmarshal(value, &i) == nil {
			out["a"+number] = nil
			if p := s.identified(&i); p != nil {
				out["a"+number] = object{"id": p.id}
			}
		}
	}
	return out, wrong
}

type setInput struct {
	Title, Status, Handle string
	DescriptionHTML       *string
	Files                 *[]struct{ ID, OriginalSource string }
	Variants              []setVariant
	ProductOptions        []struct{ Name string }
}

type setVariant struct {
	ID, InventoryPolicy string
	SKU, Price, Barcode *string
	CompareAtPrice      *string
	InventoryQuantities []struct {
		LocationID string
		Quantity   int64
	}
	OptionValues  []optionValue
	InventoryItem json.RawMessage
}

type optionValue struct{ OptionName, Name string }

// set changes the given fields of a variant; a variant without a policy is not sold without stock.
func (v *variant) set(in setVariant) {
	if in.SKU != nil {
		v.sku, v.before = *in.SKU, ""
	}
	if in.Price != nil {
		v.price = *in.Price
	}
	if in.CompareAtPrice != nil {
		v.before = *in.CompareAtPrice
	}
	if in.Barcode != nil {
		v.barcode = *in.Barcode
	}
	v.about = string(in.InventoryItem)
	if v.policy = in.InventoryPolicy; v.policy == "" {
		v.policy = "DENY"
	}
	for _, q := range in.InventoryQuantities {
		v.levels[q.LocationID] = q.Quantity
	}
	v.options = in.OptionValues
}

func (s *Shop) setProduct(raw json.RawMessage) (object, string) {
	var in struct {
		Identifier *identifier
		Input      setInput
	}
	_ = json.Unmarshal(raw, &in)
	answer := func(p *product, errors []object) (object, string) {
		out := object{"product": nil, "userErrors": errors}
		if p != nil {
			out["product"] = p.show()
		}
		return object{"productSet": out}, ""
	}
	p := s.identified(in.Identifier)
	if p == nil && in.Identifier != nil && in.Identifier.ID != "" {
		return answer(nil, refused("identifier", "Product does not exist", "PRODUCT_DOES_NOT_EXIST"))
	}
	for _, v := range in.Input.Variants {
		if len(v.OptionValues) != len(in.Input.ProductOptions) {
			return answer(nil, refused("input.variants", "Option values are missing", "INVALID_VARIANT"))
		}
	}
	if in.Input.Files != nil {
		for i, f := range *in.Input.Files {
			if f.ID != "" && s.sources[f.ID] == "" {
				return answer(nil, refused("input.files."+strconv.Itoa(i)+".id", "File does not exist", "FILE_DOES_NOT_EXIST"))
			}
		}
	}
	if p == nil {
		p = &product{id: s.gid("Product"), handle: in.Input.Handle, shop: s}
		s.products = append(s.products, p)
	}
	p.title, p.status = in.Input.Title, in.Input.Status
	if in.Input.DescriptionHTML != nil {
		p.description = *in.Input.DescriptionHTML
	}
	if in.Input.Files != nil {
		p.media = nil
		for _, f := range *in.Input.Files {
			if f.ID == "" {
				f.ID = s.gid("MediaImage")
				if s.sources == nil {
					s.sources = map[string]string{}
				}
				s.sources[f.ID] = f.OriginalSource
			}
			p.media = append(p.media, f.ID)
		}
	}
	old := p.variants
	p.variants = nil
	for _, v := range in.Input.Variants {
		at := &variant{id: s.gid("ProductVariant"), item: s.gid("InventoryItem"), levels: map[string]int64{}}
		for _, o := range old {
			if o.id == v.ID {
				at = o
			}
		}
		at.set(v)
		p.variants = append(p.variants, at)
	}
	return answer(p, []object{})
}

// pictureState returns the state of a picture: of an address with "broken" in it the shop notices only later that it
// cannot be fetched.
func (s *Shop) pictureState(id string) string {
	if s.fetched == nil {
		s.fetched = map[string]bool{}
	}
	if !strings.Contains(s.sources[id], "broken") || s.serves && !s.fetched[id] {
		return "READY"
	}
	if !s.fetched[id] {
		s.fetched[id] = true
		return "UPLOADED"
	}
	return "FAILED"
}

// Serves has all addresses of pictures serve from now on; those that failed stay so.
func (s *Shop) Serves() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serves = true
}

// pictures answers the states of pictures.
func (s *Shop) pictures(raw json.RawMessage) (object, string) {
	var in struct{ IDs []string }
	_ = json.Unmarshal(raw, &in)
	nodes := []any{}
	for _, id := range in.IDs {
		if s.sources[id] == "" {
			nodes = append(nodes, nil)
			continue
		}
		state, errors := s.pictureState(id), []object{}
		if state == "FAILED" {
			errors = append(errors, object{"message": "Image could not be downloaded"})
		}
		nodes = append(nodes, object{"id": id, "status": state, "mediaErrors": errors})
	}
	return object{"nodes": nodes}, ""
}

func (s *Shop) publish(raw json.RawMessage) (object, string) {
	var in struct{ ID string }
	_ = json.Unmarshal(raw, &in)
	shown := any(nil)
	if p := s.identified(&identifier{ID: in.ID}); p != nil {
		p.published = true
		shown = object{"onlineStoreUrl": p.address()}
	}
	return object{"publishablePublish": object{"publishable": shown, "userErrors": []object{}}}, ""
}

func (s *Shop) hide(raw json.RawMessage) (object, string) {
	var in struct{ ID string }
	_ = json.Unmarshal(raw, &in)
	p := s.identified(&identifier{ID: in.ID})
	if p == nil {
		return object{"productUpdate": object{"userErrors": refused("id", "Product does not exist", "")}}, ""
	}
	p.status = "DRAFT"
	return object{"productUpdate": object{"userErrors": []object{}}}, ""
}

func (s *Shop) delete(raw json.RawMessage) (object, string) {
	var in struct{ ID string }
	_ = json.Unmarshal(raw, &in)
	for i, p := range s.products {
		if p.id == in.ID {
			s.products = append(s.products[:i:i], s.products[i+1:]...)
			return object{"productDelete": object{"userErrors": []object{}}}, ""
		}
	}
	return object{"productDelete": object{"userErrors": refused("id", "Product does not exist", "")}}, ""
}

// AddVariant adds a variant that may be sold without stock to the product of another one, as its merchant does in the
// shop.
func (s *Shop) AddVariant(beside, sku string, values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.product(func(p *product) bool {
		return slices.ContainsFunc(p.variants, func(v *variant) bool { return v.sku == beside })
	})
	v := &variant{id: s.gid("ProductVariant"), item: s.gid("InventoryItem"), sku: sku, price: "99", policy: "CONTINUE",
		levels: map[string]int64{}}
	for i, value := range values {
		v.options = append(v.options, optionValue{p.variants[0].options[i].OptionName, value})
	}
	p.variants = append(p.variants, v)
}

// Options returns the values of a variant and its policy, as "Size: S, CONTINUE"; "" if there is none.
func (s *Shop) Options(sku string) (text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.variant(func(v *variant) bool { return v.sku == sku })
	if v == nil {
		return ""
	}
	for _, o := range v.options {
		text += o.OptionName + ": " + o.Name + ", "
	}
	return text + v.policy
}

// Rename gives a variant another SKU, as a person in the shop's admin may.
func (s *Shop) Rename(sku, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.variant(func(v *variant) bool { return v.sku == sku }).sku = to
}

// Variant is what the shop shows of a SKU.
type Variant struct {
	Price, Before string
	Available     int64
	Status        string
	Published     bool
	Pictures      int
}

// Variant returns what the shop shows of a SKU; ok is false if it has none such.
func (s *Shop) Variant(sku string) (shown Variant, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.products {
		for _, v := range p.variants {
			if v.sku == sku {
				return Variant{v.price, v.before, v.available(), p.status, p.published, len(p.media)}, true
			}
		}
	}
	return Variant{}, false
}

// Images returns the addresses of the pictures that a SKU shows; taken is how many the shop has fetched in all.
func (s *Shop) Images(sku string) (shown []string, taken int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.products {
		for _, v := range p.variants {
			for _, m := range p.media {
				if v.sku == sku {
					shown = append(shown, s.sources[m])
				}
			}
		}
	}
	return shown, len(s.sources)
}

// AddImage adds a picture after those of a product, as its merchant may.
func (s *Shop) AddImage(sku, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.products {
		for _, v := range p.variants {
			if v.sku == sku {
				id := s.gid("MediaImage")
				s.sources[id], p.media = address, append(p.media, id)
			}
		}
	}
}

// RemoveImage removes the first picture of a product, as its merchant may.
func (s *Shop) RemoveImage(sku string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.products {
		for _, v := range p.variants {
			if v.sku == sku && len(p.media) > 0 {
				delete(s.sources, p.media[0])
				p.media = p.media[1:]
			}
		}
	}
}

// Products returns how many products the shop has.
func (s *Shop) Products() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.products)
}

// OnSale returns the SKUs that a buyer can order, with what one costs in hundredths.
func (s *Shop) OnSale() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]int64{}
	for _, p := range s.products {
		for _, v := range p.variants {
			if cents, ok := fakeshop.Cents(v.price); ok && p.status == "ACTIVE" && v.available() > 0 {
				found[v.sku] = cents
			}
		}
	}
	return found
}

// Variants returns what the shop shows of all SKUs, and those that stand twice.
func (s *Shop) Variants() (shown map[string]Variant, doubled []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown = map[string]Variant{}
	for _, p := range s.products {
		for _, v := range p.variants {
			if _, twice := shown[v.sku]; twice {
				doubled = append(doubled, v.sku)
			}
			shown[v.sku] = Variant{v.price, v.before, v.available(), p.status, p.published, len(p.media)}
		}
	}
	return shown, doubled
}

// Description returns what buyers read of the product that a variant is of.
func (s *Shop) Description(sku string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.product(func(p *product) bool {
		return slices.ContainsFunc(p.variants, func(v *variant) bool { return v.sku == sku })
	}).description
}

// StockedAt returns the names of the locations that have some of a variant.
func (s *Shop) StockedAt(sku string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for i, l := range s.locations {
		if v := s.variant(func(v *variant) bool { return v.sku == sku }); v != nil && v.levels["gid://shopify/Location/"+strconv.Itoa(i+1)] != 0 {
			names = append(names, l.name)
		}
	}
	return strings.Join(names, ", ")
}

// Trade returns the barcode of a variant, and what was sent of its inventory item, as JSON.
func (s *Shop) Trade(sku string) (barcode, item string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.variant(func(v *variant) bool { return v.sku == sku })
	return v.barcode, v.about
}
