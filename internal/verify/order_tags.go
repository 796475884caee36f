package verify

import (
	"slices"

	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// orderTags compares the tags of orders with the rows by which lists find orders.
func orderTags(c *account) error {
	err := c.each(`SELECT o.number, coalesce(o.tags, ''), (SELECT count(*) FROM order_tags t WHERE t.tenant_id = $1 AND t.order_id = o.id)
		FROM orders o WHERE o.tenant_id = $1`, nil, func(r db.Rows) error {
		var number, found int64
		var text string
		err := r.Scan(&number, &text, &found)
		tags, wrong := orders.DecodeTags(text)
		if wrong != nil || int64(len(tags)) != found {
			c.wrong("%s has the tags %.80s, lists find it by %d", orders.Number(number), text, found)
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.each(`SELECT t.order_id::TEXT, t.tag, coalesce(o.tags, ''), coalesce(o.created_at = t.created_at, FALSE)
		FROM order_tags t LEFT JOIN orders o ON o.tenant_id = $1 AND o.id = t.order_id WHERE t.tenant_id = $1`, nil, func(r db.Rows) error {
		var order, tag, text string
		var same bool
		err := r.Scan(&order, &tag, &text, &same)
		tags, _ := orders.DecodeTags(text) // what cannot be read was found above
		if !same || !slices.ContainsFunc(tags, func(t string) bool { return orders.TagKey(t) == tag }) {
			c.wrong("lists find the order %s by the tag %q, which it does not have", order, tag)
		}
		return err
	})
}
