package commerce

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"entrepot/internal/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/webhooks"
)

// SyncTopic is what the store wakes when something of a channel may be due.
const SyncTopic = "channel_sync"

// Bounds of the work on channels.
const (
	maxJobErrors  = 100 // entries of a job's errors
	channelTries  = 5   // runs of a job that the platform keeps from ending
	firstHold     = 2 * time.Second
	longestHold   = 5 * time.Minute
	scheduleBatch = 100
)

// channelRun is one run of a channel's job.
type channelRun struct {
	*Service
	store    *db.DB
	job      jobs.Job
	lease    time.Duration
	input    jobInput
	channel  channels.Channel
	settings channelSettings
	session  connector.Session
	does     connector.Capabilities
	errors   []jobError
	underway bool // the platform works on something that was pushed
}

// jobError is an entry of a job's errors (interface §2.7.7).
type jobError struct {
	SKU        *string `json:"sku"`
	ExternalID string  `json:"externalId,omitempty"`
	Error      string  `json:"error"`
	Code       string  `json:"code,omitempty"`
}

// RunChannelJob does a job that calls a channel's platform, and ends it or gives it back for later. What it has done is stored as it
// goes, so that the next run goes on from there. Errors: jobs.ErrLost when another node has the job; the context's.
func (s *Service) RunChannelJob(ctx context.Context, store *db.DB, job jobs.Job, lease time.Duration) error {
	c, err := channelNow(ctx, store, job.Tenant, job.Channel)
	switch {
	case apperr.Is(err, apperr.NotFound):
		return s.giveUpChannelJob(ctx, store, job, "the channel was deleted")
	case err != nil:
		return err
	case !c.Receives():
		return s.giveUpChannelJob(ctx, store, job, "the channel is inactive")
	}
	session, does, calls, err := s.openSession(ctx, store, c)
	if err != nil {
		return err
	}
	if !calls {
		return s.giveUpChannelJob(ctx, store, job, fmt.Sprintf("the connector of %s does not do %s", job.ChannelType, job.Type))
	}
	r := &channelRun{Service: s, store: store, job: job, lease: lease, channel: c, settings: settingsOf(c), session: session, does: does}
	r.input = inputOf(job)
	_ = json.Unmarshal([]byte(job.Errors), &r.errors)
	if c.Status == channels.NeedsReauth {
		err = &connector.Failure{
			Kind:    connector.Unauthorized,
			Message: "the channel's credentials were refused: enter new ones and test the connection",
		}
	} else {
		err = r.do(ctx)
	}
	if errors.Is(err, jobs.ErrLost) || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	return r.settle(ctx, err)
}

func (s *Service) giveUpChannelJob(ctx context.Context, store *db.DB, job jobs.Job, reason string) error {
	return store.Write(ctx, job.Tenant, func(tx *db.Tx) error { s.GiveUp(tx, job, reason); return nil })
}

// do does the job's work.
func (r *channelRun) do(ctx context.Context) error {
	switch r.job.Type {
	case jobs.OrderPull:
		if err := r.recheckWebhooks(ctx); err != nil {
			return err
		}
		return r.pullAsked(ctx)
	case jobs.StatusPush:
		return r.pushOrders(ctx)
	case jobs.ProductPush: // which is also how the platform is asked what became of stock and prices
		if err := r.pollOperations(ctx); err != nil {
			return err
		}
		return r.pushProducts(ctx)
	case jobs.StockPush: // a notification about a product queues it, and may say that the platform is done with it
		if err := r.pollOperations(ctx); err != nil {
			return err
		}
		return r.pushStock(ctx)
	}
	return connector.Failf(connector.Rejected, "no connector does %s", r.job.Type)
}

// recheckWebhooks reads the webhooks once a day. Orders are pulled also when it fails.
func (r *channelRun) recheckWebhooks(ctx context.Context) error {
	state, err := r.state(ctx)
	if err != nil || state.CheckAt == 0 || state.CheckAt > r.store.Now().UnixMicro() || state.HookURL == "" || !r.does.Webhooks {
		return err
	}
	if err := r.RecheckWebhooks(ctx, r.store, r.channel, state.HookURL); connector.Is(err, connector.Unauthorized) {
		return err
	}
	return ctx.Err()
}

// state reads what is known of the channel.
func (r *channelRun) state(ctx context.Context) (state channelsync.State, err error) {
	err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
		state, err = channelsync.ByChannel(tx, r.channel.ID)
		return err
	})
	return state, err
}

// write runs one transaction of the job, which fails with jobs.ErrLost when another node has the job, and holds it for another lease.
func (r *channelRun) write(ctx context.Context, do func(tx *db.Tx) error) error {
	return r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		r.job.Errors = encodeErrors(r.errors)
		jobs.Advance(tx, r.job, r.lease)
		return nil
	})
}

// fail notes that an item failed.
func (r *channelRun) fail(sku, external, code, message string) {
	r.job.Failed++
	if len(r.errors) >= maxJobErrors {
		return
	}
	e := jobError{ExternalID: external, Error: message, Code: code}
	if sku != "" {
		e.SKU = &sku
	}
	r.errors = append(r.errors, e)
}

func encodeErrors(list []jobError) string {
	if list == nil {
		list = []jobError{}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "[]"
	}
	return string(text)
}

// settle ends the job, or gives it back when the platform could do better later.
func (r *channelRun) settle(ctx context.Context, failed error) error {
	return r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		r.job.Errors = encodeErrors(r.errors)
		if failed == nil {
			return r.completed(tx)
		}
		return r.failed(tx, connector.FailureOf(failed))
	})
}

// completed ends a job that was done. A scheduled one that found nothing to do and ends no outage is not reported.
func (r *channelRun) completed(tx *db.Tx) error {
	state, err := channelsync.Lock(tx, r.channel.ID)
	if err != nil {
		return err
	}
	kind := string(r.job.Type)
	over := state.Since(kind) != 0
	state.SetSince(kind, 0)
	state.Failures, state.HeldUntil, state.LastError = 0, 0, ""
	if len(r.errors) > 0 {
		state.LastError = r.errors[0].Error
	}
	r.pollLater(tx, &state)
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

// failed gives the job back for a later try, or ends it. An outage is reported once for each type of job.
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
	hold := time.UnixMicro(state.HeldUntil).Sub(tx.Now())
	if hold <= 0 { // else another job of the channel has found the same out already
		state.Failures++
		hold = min(firstHold<<min(state.Failures-1, 10), longestHold)
	}
	hold = max(hold, f.After)
	state.HeldUntil, state.LastError = tx.Now().Add(hold).UnixMicro(), f.Error()
	r.pollLater(tx, &state)
	kind := string(r.job.Type)
	if !f.Lasting() && r.job.Tries < channelTries {
		r.save(tx, state)
		jobs.Again(tx, r.job, tx.Now().Add(hold))
		return nil
	}
	first := state.Since(kind) == 0
	if first {
		state.SetSince(kind, tx.Micros())
	}
	r.save(tx, state)
	r.fail("", "", string(f.Kind), f.Error())
	r.job.Failed = max(0, r.job.Failed-1) // it is about the job, not about one of its items
	r.job.Errors = encodeErrors(r.errors)
	ended := jobs.Finish(tx, r.job, true)
	if first || !r.input.Scheduled {
		webhooks.Record(tx, syncEvent(ended))
	}
	return nil
}

// pollLater notes when the platform is asked what became of what it works on.
func (r *channelRun) pollLater(tx db.Writer, state *channelsync.State) {
	if r.underway {
		state.PollAt = tx.Now().Add(cmp.Or(r.does.Time.Poll, time.Minute)).UnixMicro()
	}
}

// save stores the state, of a channel that may never have had one.
func (r *channelRun) save(tx db.Writer, state channelsync.State) {
	channelsync.Begin(tx, r.channel.ID, tx.Now().Add(r.pullEvery()))
	state.Save(tx)
}

// pullEvery is the time between two scheduled pulls of the channel.
func (r *channelRun) pullEvery() time.Duration { return r.Service.pullEvery(r.settings, r.does) }

func (s *Service) pullEvery(settings channelSettings, does connector.Capabilities) time.Duration {
	every := settings.PullEvery
	if every == 0 {
		every = s.PullEvery
	}
	if every == 0 {
		every = 5 * time.Minute
	}
	return max(every, does.Time.Every)
}

// ScheduleChannels queues what is due for channels: scheduled pulls, and pushes of what changed here. It reports whether there was any.
func (s *Service) ScheduleChannels(ctx context.Context, store *db.DB) (bool, error) {
	var due []channelsync.Waiting
	err := store.Read(ctx, db.Across, func(tx *db.Tx) (err error) {
		due, err = channelsync.Due(tx, scheduleBatch)
		return err
	})
	if err != nil {
		return false, err
	}
	for _, w := range due {
		one := store.Write(ctx, w.Tenant, func(tx *db.Tx) error {
			err := s.scheduleChannel(tx, w)
			if apperr.Is(err, apperr.NotFound) {
				return nil
			}
			return err
		})
		err = errors.Join(err, one)
	}
	return len(due) > 0, err
}

// scheduleChannel marks what changed in the account since the last time, and queues one job for each kind of work that is due.
func (s *Service) scheduleChannel(tx *db.Tx, w channelsync.Waiting) error {
	c, err := channels.Lock(tx, w.Channel)
	if err != nil {
		return err
	}
	state, err := channelsync.Lock(tx, w.Channel)
	if err != nil {
		return err
	}
	platform, calls := s.platform(c.Platform)
	if !calls {
		state.PullAt, state.CheckAt, state.Clock = tx.Now().AddDate(10, 0, 0).UnixMicro(), 0, tx.Now().AddDate(10, 0, 0).UnixMicro()
		state.Save(tx)
		return nil
	}
	does, settings := platform.Capabilities(), settingsOf(c)
	clock, err := channelsync.Clock(tx)
	if err != nil {
		return err
	}
	if clock > state.Clock {
		if err := channelsync.MarkChanges(tx, w.Channel, state.Clock); err != nil {
			return err
		}
		state.Clock = clock
	}
	var kinds []jobs.Type
	if state.PullAt <= tx.Micros() || state.CheckAt != 0 && state.CheckAt <= tx.Micros() {
		kinds = append(kinds, jobs.OrderPull)
		state.PullAt = tx.Now().Add(s.pullEvery(settings, does)).UnixMicro()
	}
	if state.PollAt <= tx.Micros() {
		state.PollAt = 0
	}
	if state.HeldUntil <= tx.Micros() {
		counts, err := channelsync.CountDue(tx, w.Channel)
		if err != nil {
			return err
		}
		kinds = append(kinds, dueKinds(counts, does, settings)...)
	}
	state.Save(tx)
	for _, kind := range kinds {
		if err := queueOnce(tx, kind, w.Channel, jobInput{Scheduled: true}); err != nil {
			return err
		}
	}
	return nil
}

func dueKinds(counts channelsync.Counts, does connector.Capabilities, settings channelSettings) (kinds []jobs.Type) {
	if counts.Orders > 0 {
		kinds = append(kinds, jobs.StatusPush)
	}
	if does.Products && counts.Publications+counts.Content > 0 || does.Async && counts.Operations > 0 {
		kinds = append(kinds, jobs.ProductPush)
	}
	if (does.Stock && settings.PushStock || does.Prices) && counts.Stock > 0 {
		kinds = append(kinds, jobs.StockPush)
	}
	return slices.Compact(kinds)
}
