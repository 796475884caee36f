package api

import (
	"net/http"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
)

// channelRoutes are interface §4.5.7: channels, and a synchronisation of one.
var channelRoutes = []*route{
	{method: "GET", path: "/api/v1/channels", name: "listChannels", section: "4.5", summary: "List channels", scope: "read:channels",
		query: func(q *apijson.Query) { readPage(q, 20, 100) }, answer: data(sampleChannels), serve: (*API).listChannels},
	{method: "POST", path: "/api/v1/channels", name: "createChannel", section: "4.5",
		summary: "Create a channel; a custom one's key is shown this once", scope: "write:channels", secret: true, status: http.StatusCreated,
		body:   func(o *apijson.Object) { drafts.ReadChannel(o) },
		answer: data(sampleNewChannels), serve: (*API).createChannel},
	{method: "GET", path: "/api/v1/channels/{id}", name: "getChannel", section: "4.5", summary: "Read a channel", scope: "read:channels",
		answer: data(sampleChannel), serve: (*API).getChannel},
	{method: "PATCH", path: "/api/v1/channels/{id}", name: "updateChannel", put: "putChannel", ifMatch: true, section: "4.5",
		summary: "Change a channel",
		scope:   "write:channels",
		body:    func(o *apijson.Object) { drafts.ReadChannelChange(o) },
		answer:  data(sampleChannel), serve: (*API).updateChannel},
	{method: "DELETE", path: "/api/v1/channels/{id}", name: "deleteChannel", ifMatch: true, section: "4.5",
		summary: "Delete a custom channel with its orders; deactivate another", scope: "write:channels",
		query: func(q *apijson.Query) { q.Bool("force") }, answer: data(sampleGone), serve: (*API).deleteChannel},
	{method: "POST", path: "/api/v1/channels/{id}/sync", name: "queueChannelSync", section: "4.5", summary: "Queue a synchronisation",
		scope: "write:channels", status: http.StatusAccepted,
		body:   func(o *apijson.Object) { drafts.ReadSync(o) },
		answer: data(func(w *apijson.Writer) { records.WriteJob(w, "data", records.SampleJob) }),
		serve:  (*API).queueChannelSync},
}

// createChannel serves POST /api/v1/channels: 201; 400, 403.
func (a *API) createChannel(r *request) (answer, error) {
	o := r.object()
	draft := drafts.ReadChannel(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	if err := a.Commerce.CheckCredentials(draft.Platform, draft.Credentials, draft.NotText...); err != nil {
		return answer{}, err
	}
	if err := a.outside(r, func() error { return a.Commerce.CheckAddresses(r.ctx(), draft.Platform, draft) }); err != nil {
		return answer{}, err
	}
	return a.writeSecret(r, func(tx *db.Tx) (answer, error) {
		c, key, secret, err := a.Commerce.CreateChannel(tx, r.caller, draft)
		if err != nil {
			return answer{}, err
		}
		sync, err := channelsync.ByChannel(tx, c.ID)
		return created(c.ID, func(w *apijson.Writer) { records.WriteNewChannel(w, c, sync, key, secret) }), err
	})
}

func sampleChannel(w *apijson.Writer) {
	records.WriteChannel(w, "data", records.SampleChannel, records.SampleChannelSync)
}

// sampleNewChannels are a platform's channel and a custom one.
func sampleNewChannels(w *apijson.Writer) {
	records.WriteNewChannel(w, records.SampleChannel, records.SampleChannelSync, accounts.Key{}, "")
	records.WriteNewChannel(w, records.SampleChannel, records.SampleChannelSync, records.SampleKey, "pk_live_…")
}

// listChannels serves GET /api/v1/channels: 200; 400.
func (a *API) listChannels(r *request) (out answer, err error) {
	q := r.query()
	p := readPage(q, 20, 100)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	err = a.read(r, func(tx *db.Tx) error {
		list, total, err := channels.List(tx, p.Limit, p.Offset())
		if err != nil {
			return err
		}
		syncs, err := channelsync.ByChannels(tx, idsOfChannels(list))
		out = one(http.StatusOK, "", func(w *apijson.Writer) { writeChannels(w, list, syncs, p, total) })
		return err
	})
	return out, err
}

func idsOfChannels(list []channels.Channel) []id.Channel {
	ids := make([]id.Channel, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	return ids
}

func writeChannels(w *apijson.Writer, list []channels.Channel, syncs map[id.Channel]channelsync.State, p page, total int64) {
	w.List("data")
	for _, c := range list {
		records.WriteChannel(w, "", c, syncs[c.ID])
	}
	w.EndList()
	writeMeta(w, p, total, nil)
}

func sampleChannels(w *apijson.Writer) {
	writeChannels(w, []channels.Channel{records.SampleChannel},
		map[id.Channel]channelsync.State{records.SampleChannel.ID: records.SampleChannelSync}, page{1, 20}, 1)
}

// getChannel serves GET /api/v1/channels/{id}: 200; 404.
func (a *API) getChannel(r *request) (answer, error) {
	return get(a, r, "channel", func(tx *db.Tx, channel id.Channel) (answer, error) {
		c, err := channels.ByID(tx, channel)
		if err != nil {
			return answer{}, err
		}
		return channelAnswer(tx, c)
	})
}

// channelAnswer is the answer 200 with a channel and how far it is synchronised.
func channelAnswer(tx *db.Tx, c channels.Channel) (answer, error) {
	sync, err := channelsync.ByChannel(tx, c.ID)
	return one(http.StatusOK, string(c.ID), func(w *apijson.Writer) { records.WriteChannel(w, "data", c, sync) }), err
}

// channel reads the channel of the path.
func (a *API) channel(r *request) (c channels.Channel, err error) {
	channel, err := pathID[id.Channel](r, "id", "channel")
	if err != nil {
		return c, err
	}
	err = a.read(r, func(tx *db.Tx) (err error) {
		c, err = channels.ByID(tx, channel)
		return err
	})
	return c, err
}

// updateChannel serves PATCH and PUT /api/v1/channels/{id}: 200; 400, 404, 412.
func (a *API) updateChannel(r *request) (answer, error) {
	o := r.object()
	draft := drafts.ReadChannelChange(o)
	if draft.Credentials != nil || draft.Settings != nil {
		c, err := a.channel(r)
		if err != nil {
			return answer{}, err
		}
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		if err := a.outside(r, func() error { return a.Commerce.CheckAddresses(r.ctx(), c.Platform, draft) }); err != nil {
			return answer{}, err
		}
	}
	forget := func() {}
	if draft.Status != nil && *draft.Status == channels.Inactive {
		forget = a.leaving(r)
	}
	out, err := change(a, r, "channel", o, func(tx *db.Tx, channel id.Channel, expected commerce.Expected) (answer, error) {
		c, err := a.Commerce.UpdateChannel(tx, r.caller, channel, expected, draft)
		if err != nil {
			return answer{}, err
		}
		return channelAnswer(tx, c)
	})
	if err == nil {
		forget()
		err = a.finishItems(r)
	}
	return out, err
}

// finishItems ends what a change of the channel in the path has begun with all of its items.
func (a *API) finishItems(r *request) error {
	channel, err := pathID[id.Channel](r, "id", "channel")
	if err != nil {
		return err
	}
	return a.Commerce.FinishItems(r.ctx(), a.store(r), r.caller.Tenant, channel)
}

// deleteChannel serves DELETE /api/v1/channels/{id}: 200; 404, 412.
func (a *API) deleteChannel(r *request) (answer, error) {
	q := r.query()
	force := q.Bool("force")
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	forget := a.leaving(r)
	which, err := pathID[id.Channel](r, "id", "channel")
	if err != nil {
		return answer{}, err
	}
	found, err := a.Commerce.FindChannelAnswers(r.ctx(), a.store(r), r.caller.Tenant, which, force)
	if err != nil {
		return answer{}, err
	}
	out, err := change(a, r, "channel", nil, func(tx *db.Tx, channel id.Channel, expected commerce.Expected) (answer, error) {
		gone, err := a.Commerce.DeleteChannel(tx, r.caller, channel, expected, force, found)
		return one(http.StatusOK, string(channel), func(w *apijson.Writer) { writeGone(w, channel, gone) }), err
	})
	if err == nil {
		forget()
		err = a.Commerce.FinishChannelDeletion(r.ctx(), a.store(r), r.caller.Tenant, which)
	}
	return out, err
}

// leaving returns a function that removes the webhooks of the path's channel from its platform, if the platform
// answers.
func (a *API) leaving(r *request) (forget func()) {
	c, err := a.channel(r)
	if err != nil {
		return func() {}
	}
	var hookURL string
	if a.read(r, func(tx *db.Tx) error {
		state, err := channelsync.ByChannel(tx, c.ID)
		hookURL = state.HookURL
		return err
	}) != nil || hookURL == "" {
		return func() {}
	}
	return func() { _ = a.Commerce.RemoveWebhooks(r.ctx(), a.store(r), c, hookURL) }
}

// writeGone writes whether the channel was deleted or only deactivated.
func writeGone(w *apijson.Writer, channel id.Channel, gone bool) {
	w.Record("ChannelDeleted", "data")
	apijson.ID(w, "id", channel)
	w.Bool("deleted", gone)
	if !gone {
		apijson.Word(w, "status", channels.Inactive)
	}
	w.End()
}

// sampleGone are a deleted channel and a deactivated one.
func sampleGone(w *apijson.Writer) {
	writeGone(w, records.SampleChannel.ID, true)
	writeGone(w, records.SampleChannel.ID, false)
}

// queueChannelSync serves POST /api/v1/channels/{id}/sync: 202 with the job; 400, 404.
func (a *API) queueChannelSync(r *request) (answer, error) {
	channel, err := pathID[id.Channel](r, "id", "channel")
	if err != nil {
		return answer{}, err
	}
	o := r.object()
	draft := drafts.ReadSync(o)
	if err := o.Err(); err != nil {
		return answer{}, a.missingFirst(r, (*API).getChannel, err)
	}
	if err := a.Commerce.MarkForSync(r.ctx(), a.store(r), r.caller.Tenant, channel, &draft); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		j, err := a.Commerce.SyncChannel(tx, channel, draft)
		return one(http.StatusAccepted, string(j.ID), func(w *apijson.Writer) { records.WriteJob(w, "data", j) }), err
	})
}
