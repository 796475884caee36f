package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/webhooks"
)

// RetryDelivery makes a delivery due now (interface §4.5.9): a delivered or failed one gets one more attempt, a
// pending one its next. Errors: NotFound.
func (s *Service) RetryDelivery(tx *db.Tx, who accounts.Caller, delivery id.Delivery) (*webhooks.Delivery, error) {
	d, err := webhooks.Retry(tx, delivery)
	if err != nil {
		return nil, err
	}
	audit.Record(tx, who.Actor(), "delivery.retried", "delivery", string(d.ID), nil)
	return d, nil
}

// Span is a range of time, in microseconds, both ends included.
type Span struct{ From, To int64 }

// RetryDeliveries gives every failed delivery of a span one more attempt, or makes pending ones that wait for their
// next attempt due now, at most those of one call of webhooks.Hurry for an endpoint. The endpoint "" means all endpoints. It returns
// how many there are. Errors: NotFound for the endpoint.
func (s *Service) RetryDeliveries(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, state webhooks.State, span Span) (total int64,
	err error) {
	endpoints := []id.Endpoint{endpoint}
	if endpoint == "" {
		if endpoints, err = webhooks.With(tx, state); err != nil {
			return 0, err
		}
	}
	for _, e := range endpoints {
		n := int64(0)
		if state == webhooks.Pending {
			n, err = webhooks.Hurry(tx, e, span.From, span.To)
		} else {
			n, err = replay(tx, webhooks.Replay{Endpoint: e, OnlyFailed: true, From: span.From, To: span.To})
		}
		if err != nil {
			return 0, err
		}
		total += n
	}
	audit.Record(tx, who.Actor(), "deliveries.retried", "endpoint", string(endpoint), nil)
	return total, nil
}
