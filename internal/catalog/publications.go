package catalog

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// PublicationStatus is the state of a product on a channel.
type PublicationStatus string

// The statuses: on a connector's channel a publication starts pending and the worker completes it; on a custom channel
// it is published at once. Removing means that the product is being taken off the platform.
const (
	PublicationPending   PublicationStatus = "pending"
	PublicationPublished PublicationStatus = "published"
	PublicationFailed    PublicationStatus = "failed"
	PublicationRemoving  PublicationStatus = "removing"
)

var publicationStatuses = []PublicationStatus{PublicationPending, PublicationPublished, PublicationFailed, PublicationRemoving}

// Publication is the state of a product on a channel (interface §2.7.2).
type Publication struct {
	Channel     id.Channel
	Status      PublicationStatus
	ExternalID  string // the platform's id of the product
	ExternalURL string // where buyers see it
	PublishedAt int64
	Error       string
}

// PublicationsOf reads the publications of products, by product, in the order of the channels' ids.
func PublicationsOf(tx *db.Tx, products []id.Product) (map[id.Product][]Publication, error) {
	return PrefetchPublications(tx, products).Wait()
}

// PrefetchPublications is PublicationsOf as a pending read.
func PrefetchPublications(r db.Reader, products []id.Product) *db.Pending[map[id.Product][]Publication] {
	found, scan := &db.Pending[map[id.Product][]Publication]{Value: map[id.Product][]Publication{}}, publicationTable.Scanner()
	return found.Await(db.PrefetchOf(r, publicationsOf, products, func(row db.Rows) error {
		p, err := scan(row)
		found.Value[p.Product] = append(found.Value[p.Product], p.Publication)
		return err
	})...)
}
