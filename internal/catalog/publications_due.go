package catalog

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// PublicationRemoving means that the product is being taken off the platform.
const PublicationRemoving PublicationStatus = "removing"

// Due is a publication that waits for its platform.
type Due struct {
	Product id.Product
	Status  PublicationStatus
}

// PublicationsDue lists publications of a channel that must still be sent to its platform or removed from it, by
// product, after a given one.
func PublicationsDue(tx *db.Tx, channel id.Channel, after id.Product, limit int) ([]Due, error) {
	if after == "" {
		after = id.BeforeAll
	}
	return db.List(tx, func(r db.Rows) (d Due, err error) { return d, r.Scan((*string)(&d.Product), (*string)(&d.Status)) },
		`SELECT product_id, status FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID AND status IN ('pending', 'removing')
		AND product_id > $3::UUID ORDER BY product_id LIMIT $4::BIGINT`, tx.Tenant, channel, after, limit)
}

// PublishedOn reads which of some products are, or were, published on a channel.
func PublishedOn(tx *db.Tx, channel id.Channel, products []id.Product) (map[id.Product]PublicationStatus, error) {
	all, err := PublicationsOf(tx, products)
	found := map[id.Product]PublicationStatus{}
	for product, list := range all {
		for _, p := range list {
			if p.Channel == channel {
				found[product] = p.Status
			}
		}
	}
	return found, err
}

// SettlePublication queues the outcome of publishing on the platform, unless the publication is being removed. A
// failed one keeps its platform id.
func SettlePublication(tx db.Writer, channel id.Channel, product id.Product, status PublicationStatus, externalID, url, reason string) {
	var at int64
	if status == PublicationPublished {
		at = tx.Micros()
	}
	tx.Change(`UPDATE publications SET status = $4, external_id = coalesce($5::TEXT, external_id),
			external_url = coalesce($6::TEXT, external_url), error = $7::TEXT, published_at = coalesce(published_at, $8::BIGINT)
		WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id = $3::UUID AND status <> 'removing'`,
		tx.TenantID(), channel, product, status, db.Null(externalID), db.Null(url), db.Null(reason), db.Null(at))
}

// BackOnSale queues that a product is on sale again whose publication failed for a reason.
func BackOnSale(tx db.Writer, channel id.Channel, product id.Product, reason string) {
	tx.Change(`UPDATE publications SET status = 'published', error = NULL
		WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id = $3::UUID AND status = 'failed' AND error = $4`,
		tx.TenantID(), channel, product, reason)
}

// EndPublication queues the deletion of a publication, after the platform has taken the product off sale.
func EndPublication(tx db.Writer, channel id.Channel, product id.Product) {
	tx.Change("DELETE FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id = $3::UUID AND status = 'removing'",
		tx.TenantID(), channel, product)
}

// RemovePublication queues that a product is to be taken off a channel's platform; EndPublication follows. Errors: NotFound.
func RemovePublication(tx db.Writer, channel id.Channel, product id.Product) {
	tx.Change(`UPDATE publications SET status = 'removing', error = NULL
		WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id = $3::UUID`, tx.TenantID(), channel, product).
		Rows(1, publicationTable.Missing())
}
