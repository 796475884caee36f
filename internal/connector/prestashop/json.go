package prestashop

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
)

// member is the name of a list's member in a document that came as JSON, where members have none.
const member = "*"

// parseJSON parses a document that came as JSON although XML was requested, which a proxy or a module may cause. A
// document whose top-level names are not those of the web service comes from a gateway before the shop.
func parseJSON(body []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var top any
	if err := d.Decode(&top); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errNoDocument
	}
	root := &node{name: "prestashop"}
	switch top := top.(type) {
	case []any: // a list without rows
		if len(top) > 0 {
			return nil, errNoDocument
		}
	case map[string]any:
		if len(top) == 0 {
			return nil, errNoDocument
		}
		for name := range top {
			if name != "errors" && !resources[name] {
				return nil, errNoDocument
			}
		}
		root.hold(top)
	default:
		return nil, errNoDocument
	}
	return root, nil
}

// hold puts a JSON value into a node.
func (n *node) hold(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			c := &node{name: name}
			c.hold(v[name])
			n.children = append(n.children, c)
		}
	case []any:
		for _, m := range v {
			n.children = append(n.children, held(m))
		}
	case string:
		n.text = v
	case json.Number:
		n.text = v.String()
	case bool:
		if n.text = "0"; v {
			n.text = "1"
		}
	}
}

// held is a member of a list: a text in a language, or anything else.
func held(value any) *node {
	if m, ok := value.(map[string]any); ok && len(m) == 2 {
		_, hasID := m["id"]
		if text, ok := m["value"]; ok && hasID {
			language, c := &node{}, &node{name: "language"}
			language.hold(m["id"])
			c.hold(text)
			c.attrs = map[string]string{"id": language.text}
			return c
		}
	}
	c := &node{name: member}
	c.hold(value)
	return c
}

// resources are the names at the top of the web service's documents: of a list, and of one of its members.
var resources = map[string]bool{
	"addresses": true, "address": true, "carriers": true, "carrier": true, "categories": true, "category": true,
	"combinations": true, "combination": true, "configurations": true, "configuration": true, "countries": true, "country": true,
	"currencies": true, "currency": true, "customers": true, "customer": true, "image": true, "images": true,
	"languages": true, "language": true,
	"order_carriers": true, "order_carrier": true, "order_details": true, "order_detail": true, "order_histories": true, "order_history": true,
	"order_slip": true, "order_slips": true, "order_states": true, "order_state": true, "orders": true, "order": true,
	"product_option_values": true, "product_option_value": true, "product_options": true, "product_option": true,
	"products": true, "product": true, "specific_prices": true, "specific_price": true, "states": true, "state": true,
	"stock_availables": true, "stock_available": true, "tax_rule_groups": true, "tax_rule_group": true, "tax_rules": true, "tax_rule": true,
	"taxes": true, "tax": true,
}
