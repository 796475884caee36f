package commerce

import (
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// UnpublishProduct removes a product from a channel (interface §4.5.7). On a platform that is called, the publication
// is removing until the platform has taken it off sale. Errors: NotFound if there is no such publication.
func (s *Service) UnpublishProduct(tx *db.Tx, c channels.Channel, product id.Product) error {
	publications, err := catalog.ReadPublications(tx, c.ID, product)
	if err != nil {
		return err
	}
	if _, calls := s.platform(c.Platform); calls && c.Receives() {
		tx.Wake(SyncTopic)
		return publications.Remove(tx, product)
	}
	return publications.Delete(tx, product)
}

// platform is the connector of a platform, if the service calls it; ok is false for all others.
func (s *Service) platform(name string) (p connector.Platform, ok bool) {
	if s.Connectors == nil {
		return nil, false
	}
	known, _ := s.Connectors.ByPlatform(name)
	p, ok = known.(connector.Platform)
	return p, ok
}
