package woocommerce

import (
	"encoding/json"
	"slices"
	"strconv"
)

// The names in connector.IDs.Other of the attributes and categories that the last push gave a product: what else it has in the shop is its
// merchant's, and stays beside what is pushed.
const (
	sentAttributes = "attributes"
	sentCategories = "categories"
)

// sentBefore are the names or ids that the last push gave the product.
func (u *upsert) sentBefore(kind string) (list []string) {
	_ = json.Unmarshal([]byte(u.Known.Other[kind]), &list) // nothing is known of products that were pushed before this was kept
	return list
}

// keepSent notes what this push gives the product.
func (u *upsert) keepSent(kind string, list []string) {
	text, err := json.Marshal(slices.Compact(slices.Sorted(slices.Values(list))))
	if err != nil {
		return
	}
	if u.sent == nil {
		u.sent = map[string]string{}
	}
	u.sent[kind] = string(text)
}

// withTheirs are the categories that a product shall have: its own, and behind them those that its merchant has put it in; nil to leave
// them as they are. The shop's own for products without one goes with the first other.
func (u *upsert) withTheirs(own []map[string]any) []map[string]any {
	before := u.sentBefore(sentCategories)
	var ids []string
	for _, c := range own {
		id, _ := c["id"].(int64)
		ids = append(ids, strconv.FormatInt(id, 10))
	}
	u.keepSent(sentCategories, ids)
	if len(own)+len(before) == 0 {
		return nil
	}
	list := append([]map[string]any{}, own...)
	for _, c := range u.there.Categories {
		if id := string(c.ID); !slices.Contains(ids, id) && !slices.Contains(before, id) && c.Slug != "uncategorized" {
			list = append(list, map[string]any{"id": c.ID.number()})
		}
	}
	return list
}
