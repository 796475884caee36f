package commerce

import (
	"reflect"

	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// holdEndpoint locks an endpoint that an operation changes. Errors: NotFound; those of Expected.
func holdEndpoint(tx *db.Tx, endpoint id.Endpoint, expected Expected) (*webhooks.Endpoint, error) {
	e, err := webhooks.Lock(tx, endpoint)
	if err == nil {
		err = expected.check(func(w *apijson.Writer) { records.WriteEndpoint(w, "data", e, "") })
	}
	return e, err
}

// UpdateEndpoint changes the members that the draft sets; if nothing changes, it writes nothing. Newly chosen events apply to what is
// dispatched from then on. Errors: NotFound; those of Expected.
func (s *Service) UpdateEndpoint(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, expected Expected,
	draft EndpointDraft) (*webhooks.Endpoint, error) {
	e, err := holdEndpoint(tx, endpoint, expected)
	if err != nil {
		return nil, err
	}
	before := *e
	draft.apply(e)
	if reflect.DeepEqual(before, *e) {
		return e, nil
	}
	e.Save(tx)
	audit.Record(tx, who.Actor(), "endpoint.updated", "endpoint", string(e.ID), noted(e))
	return e, nil
}
