package commerce

import (
	"time"

	"entrepot/internal/channelsync"
	"entrepot/internal/db"
)

// resting is the name of the time until which some listings of a channel are paused.
const resting = "resting"

// restingText is a channel's lastError meanwhile, if nothing else is wrong. The products and SKUs say why.
const restingText = "the platform takes no more changes of some listings today: they go on by themselves, and each says when"

// rests notes that the platform takes no more changes of a listing until a time. The job does not fail for that.
func (r *channelRun) rests(until time.Time) {
	if r.restUntil.IsZero() || until.Before(r.restUntil) {
		r.restUntil = until
	}
}

// goOnRested queues a follow-up for the paused listings, due when the first of them may go on: otherwise nothing
// would queue it while nobody changes anything.
func (r *channelRun) goOnRested(tx db.Writer, state *channelsync.State) {
	if until := r.restUntil.UnixMicro(); !r.restUntil.IsZero() {
		if old := state.Since(resting); old <= tx.Micros() || until < old {
			state.SetSince(resting, until)
		}
		if state.PollAt == 0 || state.PollAt > until {
			state.PollAt = until
		}
	}
	switch until := state.Since(resting); {
	case until == 0:
	case until <= tx.Micros():
		state.SetSince(resting, 0)
	case state.LastError == "":
		state.LastError = restingText
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
