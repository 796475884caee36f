package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/webhooks"
)

// UpdateEndpoint changes what the draft names. Events chosen anew count for what is dispatched from then on. Errors: NotFound.
func (s *Service) UpdateEndpoint(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, draft EndpointDraft) (*webhooks.Endpoint, error) {
	e, err := webhooks.Lock(tx, endpoint)
	if err != nil {
		return nil, err
	}
	draft.apply(e)
	e.Save(tx)
	audit.Record(tx, who.Actor(), "endpoint.updated", "endpoint", string(e.ID), noted(e))
	return e, nil
}
