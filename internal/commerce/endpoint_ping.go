package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// PingEndpoint sends a sample event to one endpoint, as a normal delivery (interface §4.5.9): the named event, or else
// the first to which the endpoint is subscribed. No other endpoint receives it, and it is not in the event log.
// Errors: NotFound; Conflict for a paused endpoint; Forbidden if the caller may not read what its events are about.
func (s *Service) PingEndpoint(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, event string) (*webhooks.Delivery, error) {
	e, err := webhooks.Lock(tx, endpoint)
	if err != nil {
		return nil, err
	}
	if reason := e.PausedReason(); reason != "" {
		return nil, apperr.New(apperr.Conflict, "conflict", "the endpoint is paused, because %s: activate it to test it", reason)
	}
	if e.Status != webhooks.Active {
		return nil, apperr.New(apperr.Conflict, "conflict", "the endpoint is paused: activate it to test it")
	}
	if event == "" {
		if event = e.Events[0]; event == webhooks.All {
			event = webhooks.OrderReceived
		}
	}
	if err := mayRead(who, append([]string{event}, e.Events...)); err != nil {
		return nil, err
	}
	return webhooks.Test(tx, e, records.NewEvent(event, "", records.EventSample(event))), nil
}
