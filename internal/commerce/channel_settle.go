package commerce

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// fail records that an item failed.
func (r *channelRun) fail(sku, external, code, message string) {
	r.job.Failed++
	if len(r.errors) >= jobs.MaxErrors {
		return
	}
	r.errors = append(r.errors, records.ItemError{Index: -1, Key: sku, ExternalID: external, Error: message, Code: code})
}

// messageForgotten is in place of a message that may name a person who was erased while the job had it.
const messageForgotten = "the message is not kept, because a customer was erased meanwhile"

// forget makes the run's errors those of the job. If a person was erased since it had them from the store, they are what the store has now;
// of those that it has not stored yet the messages are left out, because they may name the person. It comes after the transaction's other
// locks. Errors: jobs.ErrLost.
func (r *channelRun) forget(tx *db.Tx) (erased bool, err error) {
	stored, startedAt, err := jobs.Reread(tx, r.job)
	if err != nil {
		return false, err
	}
	if erased = startedAt != r.job.StartedAt; erased {
		now := records.ReadJobErrors(stored)
		for _, e := range r.errors[min(len(now), len(r.errors)):] {
			e.Error = messageForgotten
			now = append(now, e)
		}
		r.errors, r.job.StartedAt = now, startedAt
	}
	r.job.Errors = records.JobErrors(r.errors...)
	return erased, nil
}

// settle completes the job, or releases it if a later run may succeed.
func (r *channelRun) settle(ctx context.Context, failed error) error {
	job, reported := r.job, slices.Clip(r.errors)
	return r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		r.job, r.errors = job, reported
		if failed == nil {
			return r.completed(tx)
		}
		return r.failed(tx, connector.FailureOf(failed))
	})
}

// pause ends a run that has to wait, without anything being wrong: its platform allows so many requests and no more, or another job of the
// channel comes first. However often that happens, the job goes on (decision 16).
type pause struct {
	until  time.Time
	reason string // for the merchant, "" for none
}

func (p *pause) Error() string { return "waits until " + p.until.Format(time.RFC3339) }

// orPause makes a pause of the error of a platform that takes no more for now, if that is no reason to rest the channel's other jobs, too.
func (r *channelRun) orPause(err error) error {
	if !connector.Is(err, connector.Throttled) {
		return err
	}
	f := connector.FailureOf(err)
	switch until := r.store.Now().Add(r.later(max(f.After, firstHold))); {
	case f.Share: // the other jobs have a share of their own (decision 16)
		return &pause{until: until, reason: f.Error()}
	case r.took: // it takes so much at a time and no more (decision 16)
		return &pause{until: until}
	}
	return err
}

// turn is how long a push keeps the channel's other jobs waiting.
const turn = 30 * time.Second

// giveWay pauses a push that has had its turn if other jobs of the channel are due: a push of thousands of products takes a platform
// minutes or hours, and orders, stock and shipments must not wait for its end (decision 16).
func (r *channelRun) giveWay(ctx context.Context) error {
	if r.store.Now().Sub(r.since) < turn {
		return nil
	}
	others := false
	err := r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) (err error) {
		others, err = jobs.OthersDue(tx, r.job.Type, r.channel.ID)
		return err
	})
	if err != nil || !others {
		return err
	}
	return &pause{until: r.store.Now()}
}

// pushPlace is how many leases a job other than a pull had when it paused last.
type pushPlace struct {
	Leases int64 `json:"leases"`
}

// rest releases the job until a time. The runs until then did not fail.
func (r *channelRun) rest(ctx context.Context, rests pause) error {
	return r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		state, err := channelsync.Lock(tx, r.channel.ID)
		if err != nil {
			return err
		}
		if rests.reason != "" {
			state.LastError = rests.reason
		}
		r.pollLater(tx, &state)
		r.save(tx, state)
		if _, err := r.forget(tx); err != nil {
			return err
		}
		if r.job.Type != jobs.OrderPull {
			text, err := json.Marshal(pushPlace{r.job.Tries})
			if err != nil {
				return err
			}
			r.job.Cursor = string(text)
		}
		r.again(tx, rests.until)
		return nil
	})
}

// completed completes a successful job. A scheduled one that found nothing to do and ends no outage is not reported.
func (r *channelRun) completed(tx *db.Tx) error {
	now, err := r.held(tx)
	if err != nil {
		return err
	}
	state, err := channelsync.Lock(tx, r.channel.ID)
	if err != nil {
		return err
	}
	if _, err := r.forget(tx); err != nil {
		return err
	}
	kind := string(r.job.Type)
	over := state.Since(kind) != 0
	state.SetSince(kind, 0)
	if now.Status != channels.NeedsReauth { // otherwise its credentials were refused while the job ran, and the error says so
		state.Failures, state.HeldUntil, state.LastError = 0, 0, ""
	}
	if len(r.errors) > 0 {
		state.LastError = r.errors[0].Error
	}
	r.pollLater(tx, &state)
	r.goOnRested(tx, &state)
	if err := r.warnOfEnd(tx, now, &state); err != nil {
		return err
	}
	r.save(tx, state)
	channels.Synced(tx, r.channel.ID)
	r.job.Total = max(r.job.Total, r.job.Processed)
	if r.input.Scheduled && r.job.Processed == 0 && r.job.Failed == 0 && !over {
		jobs.Finish(tx, r.job, false)
		return nil
	}
	r.endJob(tx, r.job, false)
	return nil
}

// failed releases the job for a later try, or ends it. An outage is reported once for each type of job.
func (r *channelRun) failed(tx *db.Tx, f *connector.Failure) error {
	if f.Kind == connector.Unauthorized {
		if err := r.reauth(tx, r.channel); err != nil {
			return err
		}
	}
	state, err := channelsync.Lock(tx, r.channel.ID)
	if err != nil {
		return err
	}
	reason := f.Error()
	erased, err := r.forget(tx)
	if err != nil {
		return err
	}
	if erased {
		reason = messageForgotten
	}
	took := r.job.Type == jobs.StatusPush && r.job.Processed > r.begun
	if took {
		state.Failures = 0 // it fails now and then, which is no outage
	}
	hold := time.UnixMicro(state.HeldUntil).Sub(tx.Now())
	if hold <= 0 { // otherwise another job of the channel has found the same
		state.Failures++
		hold = r.later(min(firstHold<<min(state.Failures-1, 10), longestHold))
	}
	if hold < f.After {
		hold = r.later(f.After)
	}
	state.HeldUntil, state.LastError = tx.Now().Add(hold).UnixMicro(), reason
	r.pollLater(tx, &state)
	kind := string(r.job.Type)
	if runs := r.failedRuns(); !f.Lasting() && (took || runs < channelTries) {
		r.save(tx, state)
		r.again(tx, tx.Now().Add(hold))
		return nil
	}
	if !f.Lasting() {
		r.goOnAfter(&state)
	}
	first := state.Since(kind) == 0
	if first {
		state.SetSince(kind, tx.Micros())
	}
	r.save(tx, state)
	r.fail("", "", string(f.Kind), reason)
	r.job.Failed = max(0, r.job.Failed-1) // the failure concerns the job, not one of its items
	r.job.Errors = records.JobErrors(r.errors...)
	ended := jobs.Finish(tx, r.job, true)
	if first {
		webhooks.Record(tx, syncEvent(ended))
	}
	return nil
}

// goOnAfter has a job that an outage ended follow by another one once the channel is no longer held, a few minutes from now, however
// seldom its orders are pulled: what it was to push is still due, and nothing else says so while nobody changes anything.
func (r *channelRun) goOnAfter(state *channelsync.State) {
	at := &state.PollAt
	if r.job.Type == jobs.OrderPull {
		at = &state.PullAt
	}
	if *at == 0 || *at > state.HeldUntil {
		*at = state.HeldUntil
	}
}

// failedRuns counts the runs that have failed, this one among them: those of a pull since it came to where it is, because it would lose the
// orders that notifications were about. Of other jobs it counts the leases since they paused last.
func (r *channelRun) failedRuns() int64 {
	if r.job.Type != jobs.OrderPull {
		var at pushPlace
		_ = json.Unmarshal([]byte(r.job.Cursor), &at)
		return r.job.Tries - at.Leases
	}
	at := placeOf(r.job)
	at.Failures++
	r.job.Cursor = at.text()
	return at.Failures
}

// again releases the job until a time. A notification may bring a pull's next run forward, which then only reads the orders that
// notifications were about.
func (r *channelRun) again(tx *db.Tx, until time.Time) {
	if r.job.Type == jobs.OrderPull {
		at := placeOf(r.job)
		at.RestUntil = max(at.RestUntil, until.UnixMicro())
		r.job.Cursor = at.text()
	}
	jobs.Again(tx, r.job, until)
}

// polling is the name of the time since which the platform's operations have been requested without any news of them.
const polling = "polling"

// pollLater sets when the platform is asked for the results of its operations: soon after one began or ended, and the more seldom the
// longer nothing happens. A review by people may take days.
func (r *channelRun) pollLater(tx db.Writer, state *channelsync.State) {
	if !r.underway {
		if r.job.Type != jobs.OrderPull { // which asks for no results
			state.SetSince(polling, 0)
		}
		return
	}
	since := state.Since(polling)
	if since == 0 || r.news {
		since = tx.Micros()
		state.SetSince(polling, since)
	}
	every := cmp.Or(r.does.Time.Poll, time.Minute)
	state.PollAt = tx.Now().Add(max(every, min(tx.Now().Sub(time.UnixMicro(since))/pollShare, longestHold))).UnixMicro()
}

// pollShare is how much shorter the time until the next request is than the time without news.
const pollShare = 8

// save stores the state, which the channel may not have had before.
func (r *channelRun) save(tx db.Writer, state channelsync.State) {
	channelsync.Begin(tx, r.channel.ID, tx.Now().Add(r.pullEvery()))
	state.Save(tx)
}
