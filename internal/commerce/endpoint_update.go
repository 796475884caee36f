package commerce

import (
	"reflect"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
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

// UpdateEndpoint changes the members that the draft sets. Newly chosen events apply to what is dispatched later. A
// caller who chooses another address or other events, or activates an endpoint whose maker may not read its events
// any more, becomes its maker. If nothing changes, it writes nothing. Errors: NotFound; those of Expected; Forbidden
// for such a caller who may not read what the events are about.
func (s *Service) UpdateEndpoint(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, expected Expected,
	draft EndpointDraft) (*webhooks.Endpoint, error) {
	e, err := holdEndpoint(tx, endpoint, expected)
	if err != nil {
		return nil, err
	}
	was, before := *e, auditedEndpoint(e)
	if draft.Status != nil && *draft.Status == e.State() { // as it was read: not a change
		draft.Status = nil
	}
	draft.apply(e)
	taken := was.PausedReason() != "" && draft.Status != nil && *draft.Status == webhooks.Active
	if !taken && reflect.DeepEqual(was, *e) {
		return e, nil
	}
	if taken || e.URL != was.URL || !slices.Equal(e.Events, was.Events) {
		if err := mayRead(who, e.Events); err != nil {
			return nil, err
		}
		e.MadeBy(who.Key, who.Scopes, who.Maker())
	}
	e.Save(tx)
	audit.Record(tx, who.Actor(), "endpoint.updated", "endpoint", string(e.ID), noted(e), audit.Diff(before, auditedEndpoint(e))...)
	return e, nil
}
