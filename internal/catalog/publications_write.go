package catalog

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Publications are the publications of some products on one channel, as a transaction has read them. All changes go
// through Publications, so that the maintained counts follow: each write repeats the status that was read, and the
// transaction runs again if the status changed meanwhile.
type Publications struct {
	channel id.Channel
	read    map[id.Product]publicationState
}

type publicationState struct {
	status PublicationStatus
	reason string // why it failed
}

// ReadPublications reads the publications of products on a channel.
func ReadPublications(tx *db.Tx, channel id.Channel, products ...id.Product) (*Publications, error) {
	p := &Publications{channel, make(map[id.Product]publicationState, len(products))}
	for piece := range db.Pieces(products) {
		err := tx.Each(func(r db.Rows) error {
			var product id.Product
			var is publicationState
			err := r.Scan((*string)(&product), (*string)(&is.status), db.Opt(&is.reason))
			p.read[product] = is
			return err
		}, statusesText.For(len(piece), func(n int) string {
			return "SELECT product_id, status, error FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id IN " +
				db.In(n, 3)
		}), append([]any{tx.Tenant, channel}, db.Padded(piece)...)...)
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

var statusesText, publishText, republishText db.Text

// Status returns the status of a product, "" if it has no publication.
func (p *Publications) Status(product id.Product) PublicationStatus { return p.read[product].status }

// Reason returns why a product's publication failed, or is tried again; "" for nothing.
func (p *Publications) Reason(product id.Product) string { return p.read[product].reason }

// Publish queues publications of products with a status; an existing platform id stays. If a product is deleted meanwhile, the transaction
// runs again.
func (p *Publications) Publish(tx db.Writer, status PublicationStatus, products []id.Product) {
	by := map[PublicationStatus][]id.Product{}
	seen := make(map[id.Product]bool, len(products))
	for _, product := range products {
		if !seen[product] {
			seen[product] = true
			was := p.read[product].status
			by[was] = append(by[was], product)
		}
	}
	var at int64
	if status == PublicationPublished {
		at = tx.Micros()
	}
	for _, was := range slices.Concat([]PublicationStatus{""}, publicationStatuses) {
		p.publish(tx, was, status, at, by[was])
	}
}

// publish queues the same change for products with one status.
func (p *Publications) publish(tx db.Writer, was, status PublicationStatus, at int64, products []id.Product) {
	text, sql := &publishText, func(n int) string {
		return `WITH v(product) AS (VALUES ` + db.Values(n, 1, 5, "::UUID") + `)
			INSERT INTO publications (tenant_id, product_id, channel_id, status, published_at)
			SELECT $1::BIGINT, product, $2::UUID, $3::TEXT, $4::BIGINT FROM v
			WHERE EXISTS (SELECT 1 FROM products p WHERE p.tenant_id = $1 AND p.id = v.product AND p.deleted_at IS NULL)
			ON CONFLICT (tenant_id, product_id, channel_id) DO NOTHING`
	}
	head := []any{tx.TenantID(), p.channel, status, db.Null(at)}
	if was != "" {
		text, sql = &republishText, func(n int) string {
			return `UPDATE publications SET status = $3, error = NULL, published_at = coalesce(published_at, $4::BIGINT)
				WHERE tenant_id = $1 AND channel_id = $2::UUID AND status = $5 AND product_id IN ` + db.In(n, 6)
		}
		head = append(head, was)
	}
	for piece := range db.Pieces(products) {
		tx.Change(text.For(len(piece), sql), append(slices.Clip(head), db.Args(piece)...)...).Rows(int64(len(piece)), nil)
	}
	for _, product := range products {
		p.moved(tx, product, status, "")
	}
}

// Settle queues the outcome of publishing on the platform, unless there is no publication, it is being removed, or
// nothing changes. A failed publication keeps its platform id.
func (p *Publications) Settle(tx db.Writer, product id.Product, status PublicationStatus, externalID, url, reason string) {
	was := p.read[product].status
	if was == "" || was == PublicationRemoving || p.read[product] == (publicationState{status, reason}) && externalID+url == "" {
		return
	}
	var at int64
	if status == PublicationPublished {
		at = tx.Micros()
	}
	tx.Change(`UPDATE publications SET status = $5, external_id = coalesce($6::TEXT, external_id),
			external_url = coalesce($7::TEXT, external_url), error = $8::TEXT, published_at = coalesce(published_at, $9::BIGINT)
		WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id = $3::UUID AND status = $4`,
		tx.TenantID(), p.channel, product, was, status, db.Null(externalID), db.Null(url), db.Null(reason), db.Null(at)).Rows(1, nil)
	p.moved(tx, product, status, reason)
}

// Fail is Settle for a publication that failed for a reason.
func (p *Publications) Fail(tx db.Writer, product id.Product, reason string) {
	p.Settle(tx, product, PublicationFailed, "", "", reason)
}

// BackOnSale queues that a product is on sale again, if its publication failed for this reason.
func (p *Publications) BackOnSale(tx db.Writer, product id.Product, reason string) {
	if p.read[product] == (publicationState{PublicationFailed, reason}) {
		p.Settle(tx, product, PublicationPublished, "", "", "")
	}
}

// Remove queues that a product is to be taken off the platform; End follows. Errors: NotFound.
func (p *Publications) Remove(tx db.Writer, product id.Product) error {
	was := p.read[product].status
	if was == "" {
		return publicationTable.Missing()
	}
	tx.Change(`UPDATE publications SET status = 'removing', error = NULL
		WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id = $3::UUID AND status = $4`,
		tx.TenantID(), p.channel, product, was).Rows(1, nil)
	p.moved(tx, product, PublicationRemoving, "")
	return nil
}

// Delete queues the deletion of a product's publication. Errors: NotFound.
func (p *Publications) Delete(tx db.Writer, product id.Product) error {
	was := p.read[product].status
	if was == "" {
		return publicationTable.Missing()
	}
	tx.Change("DELETE FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID AND product_id = $3::UUID AND status = $4",
		tx.TenantID(), p.channel, product, was).Rows(1, nil)
	p.moved(tx, product, "", "")
	return nil
}

// moved counts a product's publication with its new status, "" if it has no publication any more.
func (p *Publications) moved(tx db.Writer, product id.Product, to PublicationStatus, reason string) {
	countPublication(tx, p.channel, p.Status(product), -1)
	countPublication(tx, p.channel, to, 1)
	p.read[product] = publicationState{to, reason}
}

// Unpublish queues the deletion of a product's publications on all channels.
func Unpublish(tx *db.Tx, product id.Product) error {
	all, err := PublicationsOf(tx, []id.Product{product})
	if err != nil {
		return err
	}
	for _, was := range all[product] {
		p := Publications{was.Channel, map[id.Product]publicationState{product: {status: was.Status}}}
		if err := p.Delete(tx, product); err != nil {
			return err
		}
	}
	tx.Change("DELETE FROM publications WHERE tenant_id = $1 AND product_id = $2", tx.Tenant, product).Rows(0, nil) // none was added
	return nil
}

// UnpublishSome queues the deletion of at most limit publications on a channel that gets no new ones, and returns their
// number.
func UnpublishSome(tx *db.Tx, channel id.Channel, limit int) (n int64, err error) {
	by := map[PublicationStatus][]id.Product{}
	err = tx.Each(func(r db.Rows) error {
		var product id.Product
		var status PublicationStatus
		err := r.Scan(&product, &status)
		n, by[status] = n+1, append(by[status], product)
		return err
	}, `SELECT product_id, status FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID ORDER BY product_id LIMIT $3::BIGINT`,
		tx.Tenant, channel, limit)
	for status, products := range by {
		for piece := range db.Pieces(products) {
			tx.Change(`DELETE FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID AND status = $3 AND product_id IN `+
				db.In(len(piece), 4), append([]any{tx.Tenant, channel, status}, db.Args(piece)...)...).Rows(int64(len(piece)), nil)
		}
		countPublication(tx, channel, status, -int64(len(products)))
	}
	return n, err
}

// AnyOnChannel reports whether a channel has more than n publications.
func AnyOnChannel(tx *db.Tx, channel id.Channel, n int) (bool, error) {
	return db.MoreThan(tx, n, "publications WHERE tenant_id = $1 AND channel_id = $2::UUID", channel)
}

// UnpublishAll queues the deletion of all publications on a channel that gets no new ones.
func UnpublishAll(tx db.Writer, channel id.Channel) {
	tx.Change("DELETE FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.TenantID(), channel)
	for _, status := range publicationStatuses {
		db.DropTally(tx, countedPublications, publicationKey(channel, status))
	}
}
