package catalog

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Existing finds products by id and by SKU (of the product or a variant), each once; missing are the ids and SKUs that the
// account does not have.
func Existing(tx *db.Tx, products []id.Product, skus []string) (found []id.Product, missing []string, err error) {
	have := map[id.Product]bool{}
	missing = []string{}
	const head = "SELECT id FROM products WHERE tenant_id = $1 AND deleted_at IS NULL AND id IN "
	err = each(tx, products, &existingText, head, "", func(r db.Rows) error {
		var p id.Product
		err := r.Scan((*string)(&p))
		have[p] = true
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	named, err := Resolve(tx, skus)
	if err != nil {
		return nil, nil, err
	}
	added := map[id.Product]bool{}
	add := func(p id.Product, name string, known bool) {
		switch {
		case !known:
			missing = append(missing, name)
		case !added[p]:
			added[p] = true
			found = append(found, p)
		}
	}
	for _, p := range products {
		add(p, string(p), have[p])
	}
	for _, sku := range skus {
		s, ok := named[sku]
		add(s.Product, sku, ok)
	}
	return found, missing, nil
}

var existingText db.Text

// OnChannel reads a page of a channel's publications, by product id, and how many there are.
func OnChannel(tx *db.Tx, channel id.Channel, limit, offset int) ([]ChannelPublication, int64, error) {
	counts, err := CountPublications(tx)
	total := counts[channel].All()
	if err != nil || int64(offset) >= total {
		return []ChannelPublication{}, total, err
	}
	first, err := publicationAt(tx, channel, int64(offset), total)
	if err != nil || first == "" && offset > 0 { // fewer than were counted
		return []ChannelPublication{}, total, err
	}
	w := db.NewWhere(tx, "b").Join("LEFT JOIN products p ON p.tenant_id = $1 AND p.id = b.product_id").And("b.channel_id = ?::UUID", channel)
	db.AndGiven(w, "b.product_id >= ?::UUID", first)
	list, err := channelTable.Rows(tx, w, "b.product_id", limit, 0)
	return list, total, err
}

// publicationAt finds the product at a position, from 0, among a channel's total publications by product id; "" for the
// first one. It passes entries of an index from the nearer end, and reads no product on the way.
func publicationAt(tx *db.Tx, channel id.Channel, place, total int64) (product id.Product, err error) {
	if place == 0 {
		return "", nil
	}
	order := ""
	if place > total/2 {
		place, order = total-1-place, " DESC"
	}
	err = tx.Each(func(r db.Rows) error { return r.Scan(&product) },
		"SELECT product_id FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID ORDER BY product_id"+order+
			" LIMIT 1 OFFSET $3::BIGINT", tx.Tenant, channel, place)
	return product, err
}

// ChannelPublication is a publication, listed with its channel.
type ChannelPublication struct {
	Product id.Product
	SKU     string
	Name    string
	Publication
}
