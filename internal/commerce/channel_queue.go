package commerce

import (
	"encoding/json"
	"slices"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// maxNotified is how many orders a waiting pull names at most. Later pulls have the orders of further notifications.
const maxNotified = 200

// maxNamed is how many orders named by callers a waiting pull takes. The rest is a job of its own.
const maxNamed = 1000

// burst is how long a job that a notification or a caller requested waits for others to join it.
const burst = 500 * time.Millisecond

// jobInput is what a channel's job does beyond its type.
type jobInput struct {
	ExternalIDs []string `json:"externalIds,omitempty"` // of the orders that a caller named
	All         bool     `json:"all,omitempty"`         // changed orders are pulled as well
	SKUs        []string `json:"skus,omitempty"`
	Scheduled   bool     `json:"scheduled,omitempty"` // no caller requested it: it is not reported if it finds nothing
	Topic       string   `json:"topic,omitempty"`     // of the first notification that requested it
	Notified    []string `json:"notified,omitempty"`  // external ids of orders that notifications named
}

// unasked is the input of a job that no caller requested: like a scheduled job, it reports its failure once in an
// outage.
const unasked = `{"scheduled":true}`

func (in jobInput) text() (string, error) {
	text, err := json.Marshal(in)
	return string(text), err
}

// with adds a further request to the input of a waiting job of the same type. It reports whether that adds anything.
func (in jobInput) with(more jobInput) (jobInput, bool) {
	changed := false
	if (len(in.ExternalIDs) > 0) != (len(more.ExternalIDs) > 0) && !in.All {
		in.All, changed = true, true
	}
	in.ExternalIDs = slices.Clone(in.ExternalIDs)
	for _, order := range more.ExternalIDs {
		if !slices.Contains(in.ExternalIDs, order) {
			in.ExternalIDs, changed = append(in.ExternalIDs, order), true
		}
	}
	if in.Scheduled && !more.Scheduled {
		in.Scheduled, changed = false, true
	}
	if in.Topic == "" && more.Topic != "" {
		in.Topic, changed = more.Topic, true
	}
	in.Notified = slices.Clone(in.Notified)
	for _, order := range more.Notified {
		if len(in.Notified) < maxNotified && !slices.Contains(in.Notified, order) {
			in.Notified, changed = append(in.Notified, order), true
		}
	}
	return in, changed
}

// queueOnce queues a job of a type for a channel. If one is waiting already, the request is added to it. The
// channel's lock makes that exact.
func queueOnce(tx *db.Tx, kind jobs.Type, channel id.Channel, input jobInput) error {
	waits, err := jobs.PendingOnChannel(tx, kind, channel)
	if err != nil {
		return err
	}
	if waits != nil {
		before, _ := remaining(*waits)
		if _, changed := before.with(input); !changed {
			return nil
		}
	}
	if _, err := channels.Lock(tx, channel); err != nil {
		return err
	}
	if waits, err = jobs.PendingOnChannel(tx, kind, channel); err != nil {
		return err
	}
	if waits != nil {
		if joined, err := joinJob(tx, waits, input); joined || err != nil {
			return err
		}
	}
	text, err := input.text()
	if err != nil {
		return err
	}
	job := jobs.Job{Type: kind, Channel: channel, Input: text}
	if input.Topic != "" {
		job.DueAt = tx.Now().Add(burst).UnixMicro()
	}
	if kind == jobs.StockPush { // a push of products that a caller requested sets stock and prices, too: it comes first
		products, err := jobs.PendingOnChannel(tx, jobs.ProductPush, channel)
		if err != nil {
			return err
		}
		if products != nil && products.Tries == 0 {
			job.DueAt = products.DueAt
		}
	}
	jobs.Insert(tx, job)
	return nil
}

// joinJob adds a request to a waiting job. It reports false if the job has started meanwhile, or would have to pull
// too many named orders. The channel is locked.
func joinJob(tx *db.Tx, waits *jobs.Job, input jobInput) (bool, error) {
	before, at := remaining(*waits)
	all, changed := before.with(input)
	if !changed {
		return true, nil
	}
	if len(all.ExternalIDs) > maxNamed {
		return false, nil
	}
	if soon := tx.Now().Add(burst).UnixMicro(); len(all.Notified) > len(before.Notified) && waits.DueAt > soon {
		waits.DueAt = soon // the pull is paused, but an order need not wait for that (pullPlace.RestUntil)
	}
	text, err := all.text()
	if err != nil {
		return false, err
	}
	if waits.Type == jobs.OrderPull {
		waits.Cursor = at.text()
	}
	waits.Input, waits.Total = text, max(waits.Total, int64(len(all.ExternalIDs)))
	return jobs.Amend(tx, *waits)
}

// remaining is what a waiting job has still to do, and the position from which it continues. Notified orders that
// earlier runs have read are left out: they may have changed since.
func remaining(job jobs.Job) (in jobInput, at pullPlace) {
	in, at = inputOf(job), placeOf(job)
	in.Notified, at.Notified = in.Notified[min(at.Notified, len(in.Notified)):], 0
	return in, at
}

// inputOf decodes a job's input.
func inputOf(job jobs.Job) (in jobInput) {
	_ = json.Unmarshal([]byte(job.Input), &in)
	return in
}
