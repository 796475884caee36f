package commerce

import (
	"cmp"
	"slices"

	"entrepot/internal/id"
	"entrepot/internal/jobs"
	"entrepot/internal/webhooks"
)

// readJobs adds jobs, and the events that repeated their errors when they ended.
func (e *erasure) readJobs(list []id.Job) (err error) {
	if e.jobs, err = jobs.Load(e.tx, list); err != nil {
		return err
	}
	about, err := webhooks.EventsOf(e.tx, 0, texts(list))
	if err != nil {
		return err
	}
	others := e.events
	if err := e.loadEvents(about); err != nil {
		return err
	}
	e.events = append(e.events, others...)
	slices.SortFunc(e.events, func(a, b webhooks.LoggedEvent) int { return cmp.Compare(a.Stamp, b.Stamp) })
	e.events = slices.CompactFunc(e.events, func(a, b webhooks.LoggedEvent) bool { return a.Stamp == b.Stamp })
	return nil
}

func (e *erasure) writeJobs() {
	for _, old := range e.jobs {
		j := old
		j.Input, j.Cursor, j.Errors = e.json(j.Input, nil), e.redact(j.Cursor), e.json(j.Errors, nil)
		j.Save(e.tx, old)
	}
}
