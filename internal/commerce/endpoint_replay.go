package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/webhooks"
)

// ReplayEndpoint delivers a span of the event log to an endpoint again (interface §4.5.9), with the events' own ids and bytes: those
// named, else what it subscribes to; with onlyFailed, the deliveries of that span that failed. It reports how many there are; what is
// too much for one transaction goes on after it. Errors: NotFound.
func (s *Service) ReplayEndpoint(tx *db.Tx, who accounts.Caller, endpoint id.Endpoint, span Span, events []string, onlyFailed bool) (int64,
	error) {
	n, err := replay(tx, webhooks.Replay{Endpoint: endpoint, Events: events, OnlyFailed: onlyFailed, From: span.From, To: span.To})
	if err != nil {
		return 0, err
	}
	audit.Record(tx, who.Actor(), "endpoint.replayed", "endpoint", string(endpoint), nil)
	return n, nil
}

// replay counts a replay, does its first part, and keeps the rest for a worker.
func replay(tx *db.Tx, wanted webhooks.Replay) (int64, error) {
	r, err := webhooks.NewReplay(tx, wanted)
	if err != nil {
		return 0, err
	}
	n, err := r.Size(tx)
	if err != nil || n == 0 {
		return 0, err
	}
	_, done, err := r.Run(tx)
	if err == nil && !done {
		r.Keep(tx)
	}
	return n, err
}
