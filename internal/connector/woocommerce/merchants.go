package woocommerce

import (
	"encoding/json"
	"slices"
)

// The names in connector.IDs.Other of the attributes and categories that the last push gave a product. Others in the
// shop are its merchant's, and a push leaves them.
const (
	sentAttributes = "attributes"
	sentCategories = "categories"
)

// sentBefore are the names or ids that the last push gave the product.
func (u *upsert) sentBefore(kind string) (list []string) {
	// nothing is known of products that were pushed before this was kept
	_ = json.Unmarshal([]byte(u.Known.Other[kind]), &list)
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
