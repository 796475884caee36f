package fakeshop

import (
	"fmt"
	"slices"
	"strings"
)

// Category is what a category demands of its products.
type Category struct {
	Attributes  []Attribute
	Dimensions  bool
	SizeChart   bool
	Certificate string // its name; "" for none
}

// Attribute is a property of the products of a category, by its number.
type Attribute struct {
	ID       string
	Name     string
	Required bool
	Free     bool              // any value may be given
	Values   map[string]string // ids by name
	When     [2]string         // it is required when another attribute has a value; ids
}

func (s *Shop) recommend(call) reply {
	return good(object{"leaf_category_id": "853000", "categories": []object{{"id": "853000", "is_leaf": true}}})
}

func (s *Shop) categoryAttributes(call) reply {
	list := []object{}
	for _, a := range s.Demands.Attributes {
		values := []object{}
		for name, id := range a.Values {
			values = append(values, object{"id": id, "name": name})
		}
		slices.SortFunc(values, func(x, y object) int { return strings.Compare(fmt.Sprint(x["id"]), fmt.Sprint(y["id"])) })
		one := object{"id": a.ID, "name": a.Name, "type": "PRODUCT_PROPERTY", "is_requried": a.Required, "is_customizable": a.Free,
			"values": values}
		if a.When[0] != "" {
			one["requirement_conditions"] = []object{{"condition_type": "VALUE_ID_MATCH", "attribute_id": a.When[0],
				"attribute_value_id": a.When[1]}}
		}
		list = append(list, one)
	}
	return good(object{"attributes": list})
}

func (s *Shop) categoryRules(call) reply {
	d := s.Demands
	certificates := []object{}
	if d.Certificate != "" {
		certificates = append(certificates, object{"id": "1", "name": d.Certificate, "is_required": true})
	}
	return good(object{"product_certifications": certificates, "size_chart": object{"is_supported": true, "is_required": d.SizeChart},
		"package_dimension": object{"is_required": d.Dimensions}})
}

// brands lists those whose name begins with the requested text, as the real one does.
func (s *Shop) brands(c call) reply {
	list := []object{}
	for name, id := range s.Brands {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(c.URL.Query().Get("brand_name"))) {
			list = append(list, object{"id": id, "name": name, "authorized_status": "UNAUTHORIZED"})
		}
	}
	return good(object{"brands": list, "total_count": len(list), "next_page_token": ""})
}

// lacks returns a refusal of a product that lacks what its category demands, code 0 for none.
func (s *Shop) lacks(c call) reply {
	has := map[string]string{}
	for _, a := range c.list("product_attributes") {
		one, _ := a.(map[string]any)
		values, _ := one["values"].([]any)
		for _, v := range values {
			id, _ := v.(map[string]any)["id"].(string)
			has[fmt.Sprint(one["id"])] = id
		}
	}
	for _, a := range s.Demands.Attributes {
		if _, there := has[a.ID]; a.Required && !there && (a.When[0] == "" || has[a.When[0]] == a.When[1]) {
			return refused(12052217, "Required attribute "+a.ID+" is missing")
		}
	}
	switch {
	case s.Demands.Dimensions && c.body["package_dimensions"] == nil:
		return refused(12052092, "Package dimensions are missing")
	case s.Demands.SizeChart && c.body["size_chart"] == nil:
		return refused(12052120, "The size chart is missing")
	case s.Demands.Certificate != "" && c.body["certifications"] == nil:
		return refused(12052130, "A certificate is missing")
	}
	return reply{}
}
