package commerce

import (
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/db"
)

// ending is the name of the time at which a channel's credentials end, if that is soon.
const ending = "ending"

// warned is how long before the end the merchant is warned.
const warned = 30 * 24 * time.Hour

// warnOfEnd makes a channel expiring whose authorisation ends soon, and says in its lastError what to do, if nothing
// else is wrong; it makes it active again once the authorisation lasts longer. c is locked.
func (r *channelRun) warnOfEnd(tx *db.Tx, c channels.Channel, state *channelsync.State) error {
	known, ok := r.Connectors.ByPlatform(c.Platform)
	if !ok {
		return nil
	}
	opened, err := r.Opened(c)
	if err != nil {
		return err
	}
	at, of := known.Profile().Ends(opened.Credentials)
	soon := !at.IsZero() && at.Sub(tx.Now()) < warned
	switch was := state.Since(ending) != 0; {
	case soon && c.Status == channels.Active:
		c.Status = channels.Expiring
		c.Save(tx)
	case was && !soon && c.Status == channels.Expiring:
		c.Status = channels.Active
		c.Save(tx)
	}
	state.SetSince(ending, 0)
	if !soon {
		return nil
	}
	state.SetSince(ending, at.UnixMicro())
	if state.LastError == "" {
		state.LastError = "the access ends on " + at.UTC().Format(time.DateOnly) + ": " + of.Renew
	}
	return nil
}
