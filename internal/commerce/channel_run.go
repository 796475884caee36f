package commerce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/records"
)

// Bounds of the work on channels.
const (
	channelTries  = 5 // runs of a job that fails because of the platform
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
	client   *connector.Client
	errors   []records.ItemError
	looked   int             // see looksOfRun
	seen     map[string]bool // external ids of the orders that were read
	others   *otherChannels  // nil until it was requested
	begun    int64           // the progress of the job's earlier runs
	underway bool            // the platform is still processing something that was pushed
	news     bool            // an operation of the platform began or ended
	took     bool            // the platform has accepted products, or stock and prices
	since    time.Time       // when the run began

	restUntil time.Time // when the first of the listings that the platform has paused goes on; zero without any
}

// RunChannelJob does a job that calls a channel's platform, and completes it or releases it for later. It stores its
// progress as it goes, so that the next run continues there. Errors: jobs.ErrLost when another node has taken the
// job; the context's.
func (s *Service) RunChannelJob(ctx context.Context, store *db.DB, job jobs.Job, lease time.Duration) error {
	store = store.By(job.Author())
	c, err := channelNow(ctx, store, job.Tenant, job.Channel)
	switch {
	case apperr.Is(err, apperr.NotFound):
		return s.giveUpChannelJob(ctx, store, job, "the channel was deleted")
	case err != nil:
		return err
	case !c.Receives():
		return s.giveUpChannelJob(ctx, store, job, errInactive.Error())
	}
	if err := s.finishItemsBefore(ctx, store, job); err != nil {
		return err
	}
	session, err := s.openSession(ctx, store, c)
	if err != nil {
		return err
	}
	if session == nil {
		return s.giveUpChannelJob(ctx, store, job, fmt.Sprintf("the connector of %s does not do %s", job.ChannelType, job.Type))
	}
	r := &channelRun{Service: s, store: store, job: job, lease: lease, channel: c, settings: settingsOf(c), session: session.Session,
		does: session.does, client: session.client}
	r.input, r.begun, r.since = inputOf(job), job.Processed, store.Now()
	r.errors = records.ReadJobErrors(job.Errors)
	if c.Status == channels.NeedsReauth {
		err = &connector.Failure{
			Kind:    connector.Unauthorized,
			Message: "the channel's credentials were refused: enter new ones and test the connection",
		}
	} else if err = r.do(ctx); connector.Is(err, connector.Unauthorized) {
		err = r.confirmed(ctx, err)
	}
	if errors.Is(err, jobs.ErrLost) || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	if edited, unread := r.isEdited(ctx, err); unread != nil {
		return unread
	} else if edited {
		return s.runEdited(ctx, r)
	}
	if errors.Is(err, errInactive) {
		return s.giveUpChannelJob(ctx, store, r.job, errInactive.Error())
	}
	var rests *pause
	if err = r.orPause(err); errors.As(err, &rests) {
		return r.rest(ctx, *rests)
	}
	return r.settle(ctx, err)
}

// finishItemsBefore finishes changes that a job depends on: the ids of another shop are cleared before any call, and
// a push of stock sees all that is due. A change that began after the channel was read ends the run (stands).
func (s *Service) finishItemsBefore(ctx context.Context, store *db.DB, job jobs.Job) error {
	kinds := []jobs.Type{jobs.ItemsForgotten}
	if job.Type == jobs.StockPush {
		kinds = append(kinds, jobs.ItemsDue, jobs.ItemsLookedAt)
	}
	return s.finishItems(ctx, store, job.Tenant, job.Channel, kinds...)
}

// confirmed tests credentials that were refused. A host may refuse a call now and then and accept it a moment later;
// the channel need not wait for a person then.
func (r *channelRun) confirmed(ctx context.Context, refused error) error {
	bounded, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	shop, err := r.session.Test(bounded)
	if err != nil || len(shop.Missing) > 0 {
		return refused
	}
	return &connector.Failure{Kind: connector.Temporary, Message: "the platform refused the credentials of one call, and takes them otherwise",
		Err: refused}
}

// errInactive says that a channel is inactive, so that its jobs end.
var errInactive = errors.New("the channel is inactive")

// errEdited says that a merchant has changed the channel's credentials or settings since the run opened its session.
var errEdited = errors.New("the channel has other credentials or settings now")

// stands fails with errEdited if the channel was changed since the run opened its session, with errInactive if it was
// deactivated. Errors: jobs.ErrLost.
func (r *channelRun) stands(tx *db.Tx) error {
	now, err := r.present(tx)
	switch {
	case err != nil:
		return err
	case !now.Receives():
		return errInactive
	case edited(r.channel, now):
		return errEdited
	}
	return nil
}

// isEdited reports whether a run ended with an error because of credentials and settings that a merchant has replaced
// meanwhile: the platform may have refused the old ones.
func (r *channelRun) isEdited(ctx context.Context, err error) (bool, error) {
	var failure *connector.Failure
	if !errors.As(err, &failure) {
		return errors.Is(err, errEdited), nil
	}
	switch now := r.store.Read(ctx, r.job.Tenant, r.stands); {
	case errors.Is(now, errEdited):
		return true, nil
	case errors.Is(now, errInactive):
		return false, nil
	default:
		return false, now
	}
}

// runEdited continues a job with the channel's present credentials and settings. In another shop a pull starts from
// the beginning.
func (s *Service) runEdited(ctx context.Context, r *channelRun) error {
	now, err := channelNow(ctx, r.store, r.job.Tenant, r.channel.ID)
	if err == nil {
		var same bool
		if same, err = s.sameShop(r.channel, now); err == nil && !same {
			r.job.Cursor = ""
		}
	}
	if err != nil && !apperr.Is(err, apperr.NotFound) {
		return err
	}
	r.job.Errors = records.JobErrors(r.errors...)
	return s.RunChannelJob(ctx, r.store, r.job, r.lease)
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
	case jobs.ProductPush: // it also asks the platform for the results of stock and prices
		if err := r.pollOperations(ctx); err != nil {
			return err
		}
		return r.pushProducts(ctx)
	case jobs.StockPush: // queued by notifications about a product, which may mean that an operation is complete
		if err := r.pollOperations(ctx); err != nil {
			return err
		}
		return r.pushStock(ctx)
	}
	return connector.Failf(connector.Rejected, "no connector does %s", r.job.Type)
}

// recheckWebhooks checks the webhooks once a day. Orders are pulled even if that fails.
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

// present reads the channel in its present state. Errors: jobs.ErrLost when it is deleted, which has ended its jobs.
func (r *channelRun) present(tx *db.Tx) (channels.Channel, error) {
	c, err := channels.ByID(tx, r.channel.ID)
	return c, orLost(err)
}

// held is present, and locks the channel until the end of the transaction.
func (r *channelRun) held(tx *db.Tx) (channels.Channel, error) {
	c, err := channels.Lock(tx, r.channel.ID)
	return c, orLost(err)
}

func orLost(err error) error {
	if apperr.Is(err, apperr.NotFound) {
		return jobs.ErrLost
	}
	return err
}

// writeItems is write for what the job learned about items on the platform. It fails when the channel was pointed at
// another shop while the job ran: that has cleared them, and their ids mean other things there.
func (r *channelRun) writeItems(ctx context.Context, do func(tx *db.Tx) error) error {
	return r.write(ctx, func(tx *db.Tx) error {
		now, err := r.held(tx)
		if err != nil {
			return err
		}
		same, err := r.sameShop(r.channel, now)
		if err == nil && !same {
			err = connector.Failf(connector.Temporary, "the channel was pointed at another shop")
		}
		if err != nil {
			return err
		}
		return do(tx)
	})
}

// state reads the channel's state.
func (r *channelRun) state(ctx context.Context) (state channelsync.State, err error) {
	err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
		state, err = channelsync.ByChannel(tx, r.channel.ID)
		return err
	})
	return state, err
}

// write runs one transaction of the job and prolongs its lease. Counts of a lost try do not count. It fails with
// jobs.ErrLost when another node has taken the job.
func (r *channelRun) write(ctx context.Context, do func(tx *db.Tx) error) error {
	job, reported := r.job, slices.Clip(r.errors)
	return r.store.Write(ctx, r.job.Tenant, func(tx *db.Tx) error {
		r.job, r.errors = job, reported
		if err := do(tx); err != nil {
			return err
		}
		if _, err := r.forget(tx); err != nil {
			return err
		}
		jobs.Advance(tx, r.job, r.lease)
		return nil
	})
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
