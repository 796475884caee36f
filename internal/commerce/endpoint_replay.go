package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// ReplayPlan is a replay of a span of the event log, and how many deliveries it has.
type ReplayPlan struct {
	replay webhooks.Replay
	size   int64
}

// PlanReplay plans to deliver a span of the event log to an endpoint again (interface §4.5.9): the named events, or
// else those to which it is subscribed; with onlyFailed, the failed deliveries of that span. It reads every event of
// the span, so call it on a snapshot, where no writer waits for it. Errors: NotFound; Forbidden if the caller may not
// read what the events are about.
func (s *Service) PlanReplay(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, span Span, events []string, onlyFailed bool) (*ReplayPlan, error) {
	e, err := webhooks.ByID(tx, endpoint)
	if err != nil {
		return nil, err
	}
	kinds := events
	if len(kinds) == 0 {
		kinds = e.Events
	}
	if err := mayRead(who, kinds); err != nil {
		return nil, err
	}
	r, err := webhooks.NewReplay(tx, webhooks.Replay{Endpoint: endpoint, Events: events, OnlyFailed: onlyFailed, From: span.From, To: span.To})
	if err != nil {
		return nil, err
	}
	size, err := r.Size(tx)
	return &ReplayPlan{*r, size}, err
}

// ReplayEndpoint queues the planned deliveries, with the events' own ids and bytes. It returns how many there are; a
// worker continues what is too much for one transaction. Errors: NotFound.
func (s *Service) ReplayEndpoint(tx *db.Tx, who accounts.Caller, plan *ReplayPlan) (int64, error) {
	r := plan.replay // the transaction may run again
	if _, err := webhooks.ByID(tx, r.Endpoint); err != nil {
		return 0, err
	}
	created, done, err := r.Run(tx)
	if err != nil {
		return 0, err
	}
	audit.Record(tx, who.Actor(), "endpoint.replayed", "endpoint", string(r.Endpoint), nil)
	if done {
		return int64(created), nil
	}
	r.Keep(tx)
	return plan.size, nil
}
