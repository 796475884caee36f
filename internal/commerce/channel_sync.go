package commerce

import (
	"entrepot/internal/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/jobs"
)

// SyncChannel queues work on a channel (interface §4.5). Errors: NotFound; Invalid for custom channels, with which nothing is
// synchronised, and for inactive ones.
func (s *Service) SyncChannel(tx *db.Tx, channel id.Channel, kind jobs.Type) (jobs.Job, error) {
	c, err := channels.ByID(tx, channel)
	if err != nil {
		return jobs.Job{}, err
	}
	if c.Platform == channels.Custom {
		return jobs.Job{}, apperr.New(apperr.Invalid, "validation_failed", "a custom channel is never synchronised: its system calls this one")
	}
	if !c.Receives() {
		return jobs.Job{}, apperr.New(apperr.Invalid, "channel_inactive", "the channel is inactive")
	}
	channels.Keep(tx, channel, apperr.Missing("channel"))
	j := jobs.Insert(tx, jobs.Job{Type: kind, Channel: c.ID})
	j.ChannelName, j.ChannelType = c.Name, c.Platform
	return j, nil
}
