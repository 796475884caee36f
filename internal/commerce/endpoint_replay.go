package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/webhooks"
)

// ReplayEndpoint delivers a span of the event log to an endpoint again (interface §4.5.9), with the events' own ids
// and bytes: the named events, or else those to which it is subscribed; with onlyFailed, the failed deliveries of that
// span. It returns how many there are; a worker continues what is too much for one transaction. Errors: NotFound.
func (s *Service) ReplayEndpoint(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, span Span, events []string, onlyFailed bool) (int64,
	error) {
	n, err := replay(tx, webhooks.Replay{Endpoint: endpoint, Events: events, OnlyFailed: onlyFailed, From: span.From, To: span.To})
	if err != nil {
		return 0, err
	}
	audit.Record(tx, who.Actor(), "endpoint.replayed", "endpoint", string(endpoint), nil)
	return n, nil
}

// replay creates the first of a replay's deliveries, stores the rest of it for a worker, and returns how many both are. They are counted as
// they are created, because another transaction may make the same failed deliveries pending meanwhile.
func replay(tx *db.Tx, wanted webhooks.Replay) (int64, error) {
	r, err := webhooks.NewReplay(tx, wanted)
	if err != nil {
		return 0, err
	}
	created, done, err := r.Run(tx)
	if err != nil || done {
		return int64(created), err
	}
	rest, err := r.Size(tx)
	r.Keep(tx)
	return int64(created) + rest, err
}
