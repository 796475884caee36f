package catalog

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// PublicationStatus is the state of a product on a channel.
type PublicationStatus string

// The statuses: on a connector's channel a publication starts pending and the worker completes it; on a custom channel
// it is published at once.
const (
	PublicationPending   PublicationStatus = "pending"
	PublicationPublished PublicationStatus = "published"
	PublicationFailed    PublicationStatus = "failed"
)

// Publication is a product's place on a channel (interface §2.7.2).
type Publication struct {
	Channel     id.Channel
	Status      PublicationStatus
	ExternalID  string // the platform's id of the product
	ExternalURL string // where buyers see it
	PublishedAt int64
	Error       string
}

var publishText, publicationsText db.Text

// Publish queues publications of products on a channel, with a status; an existing platform id stays. If a product is
// deleted meanwhile, the transaction runs again.
func Publish(tx db.Writer, channel id.Channel, status PublicationStatus, products []id.Product) {
	var at int64
	if status == PublicationPublished {
		at = tx.Micros()
	}
	db.Chunks(products, func(piece []id.Product) error {
		args := make([]any, 0, 4+len(piece))
		args = append(args, tx.TenantID(), channel, status, db.Null(at))
		for _, p := range piece {
			args = append(args, string(p))
		}
		tx.Change(publishText.For(len(piece), func(n int) string {
			return `WITH v(product) AS (VALUES ` + db.Values(n, 1, 5, "::UUID") + `)
				INSERT INTO publications (tenant_id, product_id, channel_id, status, published_at)
				SELECT $1::BIGINT, product, $2::UUID, $3::TEXT, $4::BIGINT FROM v
				WHERE EXISTS (SELECT 1 FROM products p WHERE p.tenant_id = $1 AND p.id = v.product AND p.deleted_at IS NULL)
				ON CONFLICT (tenant_id, product_id, channel_id) DO UPDATE SET status = excluded.status, error = NULL,
					published_at = coalesce(publications.published_at, excluded.published_at)`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

// PublicationsOf reads the publications of products, by product, in the order of the channels' ids.
func PublicationsOf(tx *db.Tx, products []id.Product) (map[id.Product][]Publication, error) {
	found, scan := map[id.Product][]Publication{}, publicationTable.Scanner()
	err := each(tx, products, &publicationsText, publicationTable.Select("")+" WHERE tenant_id = $1 AND product_id IN ",
		" ORDER BY product_id, channel_id", func(r db.Rows) error {
			p, err := scan(r)
			found[p.Product] = append(found[p.Product], p.Publication)
			return err
		})
	return found, err
}

// Unpublish queues the removal of a product from all channels.
func Unpublish(tx db.Writer, product id.Product) {
	tx.Change("DELETE FROM publications WHERE tenant_id = $1 AND product_id = $2", tx.TenantID(), product)
}

// CountPublications counts the products that are published on a channel or waiting to be (interface §2.7).
func CountPublications(tx db.Reader, channel id.Channel) (n int64, err error) {
	const of = "(SELECT count(*) FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID"
	const leaving = of + " AND status IN ('pending', 'removing') AND status = 'removing')"
	err = tx.Row("SELECT "+of+") - "+leaving, []any{tx.TenantID(), channel}, &n)
	return n, err
}
