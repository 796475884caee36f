package channelsync

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// BySKU reads one item; nil if there is none.
func BySKU(tx *db.Tx, channel id.Channel, sku string) (*Item, error) {
	list, err := items.All(tx, ofChannel+" AND sku = $3", channel, sku)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}
