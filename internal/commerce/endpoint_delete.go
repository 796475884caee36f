package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// DeleteEndpoint deletes an endpoint with its pending deliveries. Errors: NotFound; those of Expected.
func (s *Service) DeleteEndpoint(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, expected Expected) error {
	e, err := holdEndpoint(tx, endpoint, expected)
	if err != nil {
		return err
	}
	e.Delete(tx)
	audit.Record(tx, who.Actor(), "endpoint.deleted", "endpoint", string(e.ID), noted(e))
	return nil
}
