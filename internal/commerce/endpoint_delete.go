package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/webhooks"
)

// DeleteEndpoint ends an endpoint; what waits for it is dropped. Errors: NotFound.
func (s *Service) DeleteEndpoint(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint) error {
	e, err := webhooks.Lock(tx, endpoint)
	if err != nil {
		return err
	}
	e.Delete(tx)
	audit.Record(tx, who.Actor(), "endpoint.deleted", "endpoint", string(e.ID), noted(e))
	return nil
}
