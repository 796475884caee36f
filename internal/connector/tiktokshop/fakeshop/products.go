package fakeshop

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

type product struct {
	id, title, status, category string
	images                      []any
	skus                        []*sku
	audited                     time.Time // when the audit ends
	change                      bool      // what is audited is a change of a product that is live
	failed                      bool
	kept                        object // of its content, as it was given: what is left out of a change is gone
}

type sku struct {
	id, sku, price string
	stock          map[string]int64
	attributes     any
	number         map[string]any
}

func (k *sku) total() (n int64) {
	for _, held := range k.stock {
		n += held
	}
	return n
}

// settle ends audits whose time has come.
func (s *Shop) settle() {
	for _, p := range s.products {
		if p.audited.IsZero() || s.Now().Before(p.audited) {
			continue
		}
		p.audited, p.failed = time.Time{}, s.Refuses != "" && strings.Contains(p.title, s.Refuses)
		switch {
		case p.failed && !p.change:
			p.status = "FAILED"
		case p.status == "PENDING":
			p.status = "ACTIVATE"
		}
		s.notify("PRODUCT_STATUS_CHANGE", object{"product_id": p.id, "status": p.status})
	}
}

func (s *Shop) find(id string) *product {
	s.settle()
	for _, p := range s.products {
		if p.id == id && p.status != "DELETED" {
			return p
		}
	}
	return nil
}

var noProduct = refused(12052048, "The product does not exist")

func (s *Shop) show(c call) reply {
	p := s.find(c.PathValue("id"))
	if p == nil {
		return noProduct
	}
	out := p.row()
	out["title"], out["category_chains"] = p.title, []object{{"id": "600001", "is_leaf": false}, {"id": p.category, "is_leaf": true}}
	maps.Copy(out, p.kept)
	if p.failed {
		out["audit_failed_reasons"] = []object{{"position": "Product Name", "reasons": []string{"Prohibited words"}}}
	}
	return good(out)
}

func (p *product) row() object {
	skus := []object{}
	for _, k := range p.skus {
		one := object{"id": k.id, "seller_sku": k.sku, "price": object{"sale_price": k.price, "currency": "EUR"}}
		if k.number != nil {
			one["identifier_code"] = k.number
		}
		skus = append(skus, one)
	}
	audit := "NONE"
	if !p.audited.IsZero() {
		audit = "AUDITING"
	} else if p.failed {
		audit = "FAILED"
	}
	return object{"id": p.id, "status": p.status, "audit": object{"status": audit}, "skus": skus}
}

// Number returns the trade number of a SKU, and the attributes by which buyers choose it.
func (s *Shop) Number(name string) (code, kind string, attributes any) {
	s.change(func() {
		if k := s.sku(name); k != nil {
			code, _ = k.number["code"].(string)
			kind, _ = k.number["type"].(string)
			attributes = k.attributes
		}
	})
	return code, kind, attributes
}

// EnterNumber has the merchant enter the trade number of a SKU in the shop.
func (s *Shop) EnterNumber(name, code string) {
	s.change(func() { s.sku(name).number = object{"code": code, "type": "EAN"} })
}

// TakeOff has TikTok take the product of a SKU off sale, or put it on sale again.
func (s *Shop) TakeOff(name string, off bool) {
	s.change(func() {
		for _, p := range s.products {
			if !slices.ContainsFunc(p.skus, func(k *sku) bool { return k.sku == name }) {
				continue
			}
			if p.status = "ACTIVATE"; off {
				p.status = "PLATFORM_DEACTIVATED"
			}
			p.failed = off
			s.notify("PRODUCT_STATUS_CHANGE", object{"product_id": p.id, "status": p.status})
		}
	})
}

func (s *Shop) searchProducts(c call) reply {
	s.settle()
	wanted := c.texts("seller_skus")
	list := []object{}
	for _, p := range s.products {
		if s.Faults.Unfound {
			continue
		}
		if len(wanted) == 0 || slices.ContainsFunc(p.skus, func(k *sku) bool { return slices.Contains(wanted, k.sku) }) {
			list = append(list, p.row())
		}
	}
	return pageOf(c, "products", list)
}

// fill sets all fields of a product from a request. It returns the refusal if that cannot be.
func (s *Shop) fill(p *product, c call) (refusal reply) {
	raw, _ := json.Marshal(c.body)
	var in struct {
		Title      string `json:"title"`
		Text       string `json:"description"`
		Category   string `json:"category_id"`
		MainImages []any  `json:"main_images"`
		Mode       string `json:"save_mode"`
		Weight     object `json:"package_weight"`
		SKUs       []struct {
			ID        string `json:"id"`
			SKU       string `json:"seller_sku"`
			Price     struct{ Amount, Currency string }
			Inventory []struct {
				Warehouse string `json:"warehouse_id"`
				Quantity  int64  `json:"quantity"`
			}
			Attributes any            `json:"sales_attributes"`
			Number     map[string]any `json:"identifier_code"`
		} `json:"skus"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return refused(12052001, err.Error())
	}
	switch {
	case in.Title == "" || in.Category == "" || in.Weight == nil || len(in.SKUs) == 0:
		return refused(12052002, "Required fields are missing")
	case in.Mode != "AS_DRAFT" && len(in.MainImages) == 0:
		return refused(12052003, "Main images are required")
	case len(in.MainImages) > 9:
		return refused(12052004, "Too many images")
	case strings.Contains(in.Text, "<img"): // of an address that is not TikTok's
		return refused(12052005, "The description has images that are not in TikTok Shop")
	case utf8.RuneCountInString(in.Text) > 10_000:
		return refused(12052006, "The description is too long")
	case strings.Contains(in.Title, "unsellable"):
		return refused(12052230, "The title contains prohibited words")
	}
	for _, one := range in.SKUs {
		if strings.ContainsFunc(one.SKU, unicode.IsSpace) || utf8.RuneCountInString(one.SKU) > 50 {
			return refused(12052007, "The seller SKU is invalid")
		}
	}
	if refusal := s.lacks(c); refusal.code != 0 {
		return refusal
	}
	p.kept = object{"description": in.Text}
	for member, shown := range map[string]string{"product_attributes": "product_attributes", "size_chart": "size_chart",
		"certifications": "certifications", "brand_id": "brand"} {
		if given := c.body[member]; given != nil && member == "brand_id" {
			p.kept[shown] = object{"id": given}
		} else if given != nil {
			p.kept[shown] = given
		}
	}
	var skus []*sku
	for _, one := range in.SKUs {
		k := &sku{id: s.id(), stock: map[string]int64{}}
		for _, old := range p.skus {
			if old.id == one.ID {
				k = old
			}
		}
		k.sku, k.price, k.attributes, k.number = one.SKU, one.Price.Amount, one.Attributes, one.Number
		for _, held := range one.Inventory {
			k.stock[held.Warehouse] = held.Quantity
		}
		skus = append(skus, k)
	}
	p.title, p.category, p.images, p.skus = in.Title, in.Category, in.MainImages, skus
	return reply{}
}

func (s *Shop) create(c call) reply {
	key := fmt.Sprint(c.body["idempotency_key"])
	if before, again := s.made[key]; again && c.body["idempotency_key"] != nil {
		return good(before)
	}
	p := &product{id: s.id(), status: "PENDING", audited: s.Now().Add(s.Audit)}
	if refusal := s.fill(p, c); refusal.code != 0 {
		return refusal
	}
	if c.body["save_mode"] == "AS_DRAFT" {
		p.status, p.audited = "DRAFT", time.Time{}
	}
	s.products = append(s.products, p)
	out := object{"product_id": p.id, "skus": p.row()["skus"], "warnings": []object{}}
	s.made[key] = out
	return good(out)
}

func (s *Shop) edit(c call) reply {
	p := s.find(c.PathValue("id"))
	if p == nil {
		return noProduct
	}
	if refusal := s.fill(p, c); refusal.code != 0 {
		return refusal
	}
	p.change = p.status == "ACTIVATE" || p.status == "SELLER_DEACTIVATED"
	if !p.change {
		p.status = "PENDING"
	}
	p.audited, p.failed = s.Now().Add(s.Audit), false
	return good(object{"product_id": p.id, "skus": p.row()["skus"]})
}

func (s *Shop) turn(c call) reply {
	failures := []object{}
	for _, id := range c.texts("product_ids") {
		p := s.find(id)
		switch {
		case p == nil:
			failures = append(failures, object{"code": noProduct.code, "message": noProduct.message, "detail": object{"product_id": id}})
		case (c.PathValue("action") == "deactivate") == (p.status == "SELLER_DEACTIVATED"):
			failures = append(failures, object{"code": 12052100, "message": "The status of the product does not allow it",
				"detail": object{"product_id": id}})
		case c.PathValue("action") == "deactivate":
			p.status, p.audited = "SELLER_DEACTIVATED", time.Time{}
		default:
			p.status, p.change, p.audited = "PENDING", false, s.Now().Add(s.Audit)
		}
	}
	return good(object{"errors": failures})
}

// remove deletes products. One whose title says so is kept.
func (s *Shop) remove(c call) reply {
	failures := []object{}
	for _, id := range c.texts("product_ids") {
		switch p := s.find(id); {
		case p == nil:
			failures = append(failures, object{"code": noProduct.code, "message": noProduct.message, "detail": object{"product_id": id}})
		case strings.Contains(p.title, "in a campaign"):
			failures = append(failures, object{"code": 12052101, "message": "The product is in a campaign", "detail": object{"product_id": id}})
		default:
			p.status = "DELETED"
		}
	}
	return good(object{"errors": failures})
}

func (s *Shop) upload(c call) reply {
	file, _, err := c.FormFile("data")
	if err != nil || c.FormValue("use_case") == "" {
		return refused(12052010, "No image")
	}
	content, err := io.ReadAll(file)
	_ = file.Close()
	if err != nil {
		return refused(12052010, "No image")
	}
	s.pictures = append(s.pictures, string(content[min(8, len(content)):]))
	return good(object{"uri": fmt.Sprintf("tos-fake/%d", len(s.pictures)), "url": "https://pictures.example/x"})
}

// item finds a SKU of a product by TikTok's id.
func (p *product) item(id string) *sku {
	for _, k := range p.skus {
		if k.id == id {
			return k
		}
	}
	return nil
}

// Enter has the merchant enter more of a product that has a SKU, as the API shows it, in Seller Center.
func (s *Shop) Enter(name string, more map[string]any) {
	s.change(func() {
		for _, p := range s.products {
			if p.status != "DELETED" && slices.ContainsFunc(p.skus, func(k *sku) bool { return k.sku == name }) {
				p.kept = more
			}
		}
	})
}

// Content returns what a product that has a SKU shows of its content beside its pictures, as the API shows it.
func (s *Shop) Content(name string) (shown map[string]any) {
	s.change(func() {
		for _, p := range s.products {
			if p.status != "DELETED" && slices.ContainsFunc(p.skus, func(k *sku) bool { return k.sku == name }) {
				shown = p.kept
			}
		}
	})
	return shown
}
