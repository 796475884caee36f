package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// RetryDelivery makes a delivery due now (interface §4.5.9): a delivered or failed one gets one more attempt, a
// pending one its next. Errors: NotFound; Forbidden if the caller may not read what the event is about.
func (s *Service) RetryDelivery(tx *db.Tx, who accounts.Caller, delivery id.Delivery) (*webhooks.Delivery, error) {
	d, err := webhooks.Retry(tx, delivery)
	if err == nil {
		err = mayRead(who, []string{d.Name})
	}
	if err != nil {
		return nil, err
	}
	audit.Record(tx, who.Actor(), "delivery.retried", "delivery", string(d.ID), nil)
	return d, nil
}

// Span is a range of time, in microseconds, both ends included.
type Span struct{ From, To int64 }

// RetryPlan is how many failed deliveries of a span each endpoint has.
type RetryPlan map[id.Endpoint]int64

// PlanRetries counts the failed deliveries of a span, of one endpoint or, with "", of all endpoints. There may be
// very many, so call it on a snapshot, where no writer waits for it. Errors: NotFound for the endpoint.
func (s *Service) PlanRetries(tx *db.Tx, endpoint id.Endpoint, span Span) (RetryPlan, error) {
	endpoints, err := retried(tx, endpoint, webhooks.Failed)
	plan := RetryPlan{}
	for _, e := range endpoints {
		var r *webhooks.Replay
		if r, err = webhooks.NewReplay(tx, failedOf(e, span)); err == nil {
			plan[e], err = r.Size(tx)
		}
		if err != nil {
			return nil, err
		}
	}
	return plan, err
}

// retried are the endpoints of which deliveries in a state are retried.
func retried(tx *db.Tx, endpoint id.Endpoint, state webhooks.State) ([]id.Endpoint, error) {
	if endpoint == "" {
		return webhooks.With(tx, state)
	}
	return []id.Endpoint{endpoint}, nil
}

func failedOf(endpoint id.Endpoint, span Span) webhooks.Replay {
	return webhooks.Replay{Endpoint: endpoint, OnlyFailed: true, From: span.From, To: span.To}
}

// RetryDeliveries gives every failed delivery of a span one more attempt, or makes pending ones that wait for their
// next attempt due now, at most webhooks.MostHurried. The endpoint "" means all endpoints. It returns how many there
// are. Of failed ones it retries the first and stores the rest for a worker; plan has their number, and is nil for
// pending ones. Errors: NotFound for the endpoint; Forbidden if the caller may not read what the endpoints' events
// are about.
func (s *Service) RetryDeliveries(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, state webhooks.State, span Span, plan RetryPlan) (
	total int64, err error) {
	endpoints, err := retried(tx, endpoint, state)
	if err != nil {
		return 0, err
	}
	begun := false
	for _, e := range endpoints {
		switch of, err := webhooks.ByID(tx, e); {
		case err == nil:
			err = mayRead(who, of.Events)
			if err != nil {
				return 0, err
			}
		case endpoint != "" || !apperr.Is(err, apperr.NotFound): // of all endpoints one may have been deleted meanwhile
			return 0, err
		}
		n, err := int64(0), error(nil)
		if state == webhooks.Pending {
			n, err = webhooks.Hurry(tx, e, span.From, span.To, webhooks.MostHurried-total)
		} else {
			n, err = retryFailed(tx, failedOf(e, span), plan[e], begun)
			begun = begun || n > 0
		}
		if err != nil {
			return 0, err
		}
		total += n
	}
	audit.Record(tx, who.Actor(), "deliveries.retried", "endpoint", string(endpoint), nil)
	return total, nil
}

// retryFailed retries the first of an endpoint's failed deliveries, or none if others have begun with this
// transaction, and stores the rest for a worker. It counts those that it retries itself as it goes, because another
// transaction may make the same ones pending meanwhile; planned is their number on a snapshot.
func retryFailed(tx *db.Tx, wanted webhooks.Replay, planned int64, begun bool) (int64, error) {
	r, err := webhooks.NewReplay(tx, wanted)
	if err != nil || begun && planned == 0 {
		return 0, err
	}
	created := 0
	if !begun {
		done := false
		if created, done, err = r.Run(tx); err != nil || done {
			return int64(created), err
		}
	}
	r.Keep(tx)
	return max(int64(created), planned), nil
}
