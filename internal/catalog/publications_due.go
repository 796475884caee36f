package catalog

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

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
