package api

import (
	"net/http"

	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/id"
	"entrepot/internal/records"
)

// channelRoutes are interface §4.5: channels, their publications and their synchronisation.
var channelRoutes = []*route{
	{method: "GET", path: "/api/v1/channels", name: "listChannels", section: "4.5", summary: "List channels", scope: "read:channels",
		query: func(q *apijson.Query) { readPage(q, 20, 100) }, answer: data(sampleChannels), serve: (*API).listChannels},
	{method: "POST", path: "/api/v1/channels", name: "createChannel", section: "4.5",
		summary: "Create a channel; a custom one's key is shown this once", scope: "write:channels", status: http.StatusCreated,
		body:   func(o *apijson.Object) { drafts.ReadChannel(o) },
		answer: data(sampleNewChannels), serve: (*API).createChannel},
	{method: "GET", path: "/api/v1/channels/{id}", name: "getChannel", section: "4.5", summary: "Read a channel", scope: "read:channels",
		answer: data(sampleChannel), serve: (*API).readChannel},
	{method: "PATCH", path: "/api/v1/channels/{id}", name: "updateChannel", ifMatch: true, section: "4.5", summary: "Change a channel",
		scope:  "write:channels",
		body:   func(o *apijson.Object) { drafts.ReadChannelChange(o) },
		answer: data(sampleChannel), serve: (*API).updateChannel},
	{method: "PUT", path: "/api/v1/channels/{id}", name: "putChannel", ifMatch: true, section: "4.5",
		summary: "Change a channel, the same as PATCH", scope: "write:channels",
		body:   func(o *apijson.Object) { drafts.ReadChannelChange(o) },
		answer: data(sampleChannel), serve: (*API).updateChannel},
	{method: "DELETE", path: "/api/v1/channels/{id}", name: "deleteChannel", ifMatch: true, section: "4.5",
		summary: "Delete a custom channel with its orders; deactivate another", scope: "write:channels",
		query: func(q *apijson.Query) { q.Bool("force") }, answer: data(sampleGone), serve: (*API).deleteChannel},
	{method: "GET", path: "/api/v1/channels/{id}/publications", name: "listChannelPublications", section: "4.5",
		summary: "List a channel's publications", scope: "read:channels",
		query: func(q *apijson.Query) { readPage(q, 20, 250) }, answer: data(samplePublications), serve: (*API).listPublications},
	{method: "POST", path: "/api/v1/channels/{id}/publications", name: "publishProducts", section: "4.5",
		summary: "Publish products on a channel", scope: "write:channels",
		body: func(o *apijson.Object) { readPublications(o) }, answer: data(func(w *apijson.Writer) {
			writePublished(w, commerce.Published{Count: 1, NotFound: []string{"NO-SUCH-SKU"}, Job: records.SampleID[id.Job](258)})
		}), serve: (*API).publishProducts},
	{method: "DELETE", path: "/api/v1/channels/{id}/publications/{productId}", name: "unpublishProduct", section: "4.5",
		summary: "Take a product off a channel", scope: "write:channels",
		answer: data(func(w *apijson.Writer) { writeDeleted(w, records.SamplePublication.Product, nil) }), serve: (*API).unpublishProduct},
	{method: "POST", path: "/api/v1/channels/{id}/sync", name: "queueChannelSync", section: "4.5", summary: "Queue a synchronisation",
		scope: "write:channels", status: http.StatusAccepted,
		body:   func(o *apijson.Object) { drafts.ReadSync(o) },
		answer: data(func(w *apijson.Writer) { records.WriteJob(w, "data", records.SampleJob) }),
		serve:  (*API).syncChannel},
	{method: "POST", path: "/api/v1/channels/{id}/sync/test", name: "testChannel", section: "4.5", summary: "Test a channel's connection",
		scope:  "write:channels",
		answer: data(sampleTest), serve: (*API).checkChannel},
	{method: "POST", path: "/channels/{id}/sync/test", name: "testChannelUnversioned", section: "4.5", summary: "Test a channel's connection",
		scope:  "write:channels",
		answer: data(sampleTest), serve: (*API).checkChannel},
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

// readChannel serves GET /api/v1/channels/{id}: 200; 404.
func (a *API) readChannel(r *request) (out answer, err error) {
	channel, err := pathID[id.Channel](r, "id", "channel")
	if err != nil {
		return out, err
	}
	err = a.read(r, func(tx *db.Tx) error {
		c, err := channels.ByID(tx, channel)
		if err != nil {
			return err
		}
		sync, err := channelsync.ByChannel(tx, channel)
		out = one(http.StatusOK, "", func(w *apijson.Writer) { records.WriteChannel(w, "data", c, sync) })
		return err
	})
	return out, err
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
		sync, err := channelsync.ByChannel(tx, channel)
		return one(http.StatusOK, string(c.ID), func(w *apijson.Writer) { records.WriteChannel(w, "data", c, sync) }), err
	})
	if err == nil {
		forget()
	}
	return out, err
}

// deleteChannel serves DELETE /api/v1/channels/{id}: 200; 404, 412.
func (a *API) deleteChannel(r *request) (answer, error) {
	q := r.query()
	force := q.Bool("force")
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	forget := a.leaving(r)
	out, err := change(a, r, "channel", nil, func(tx *db.Tx, channel id.Channel, expected commerce.Expected) (answer, error) {
		gone, err := a.Commerce.DeleteChannel(tx, r.caller, channel, expected, force)
		return one(http.StatusOK, string(channel), func(w *apijson.Writer) { writeGone(w, channel, gone) }), err
	})
	if err == nil {
		forget()
	}
	return out, err
}

// leaving returns a function that removes the webhooks of the path's channel from its platform, if the platform answers.
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
	return func() { _ = a.Commerce.RemoveWebhooks(r.ctx(), a.DB, c, hookURL) }
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

type publicationDraft struct {
	products []id.Product
	skus     []string
}

func readPublications(o *apijson.Object) (d publicationDraft) {
	o.Record("PublishProducts")
	ids := o.Texts("productIds", false, 1000, apijson.Text{Max: 36})
	for i, text := range ids.Value {
		p, ok := id.Parse[id.Product](text)
		if !ok {
			o.Fault("productIds", "entry %d must be a UUID", i)
		}
		d.products = append(d.products, p)
	}
	d.skus = o.Texts("skus", false, 1000, apijson.Text{}).Value
	if !o.Describing() && len(d.products)+len(d.skus) == 0 && len(o.Errors()) == 0 {
		o.Fault("productIds", "or skus must name at least one product")
	}
	return d
}

// publishProducts serves POST /api/v1/channels/{id}/publications: 200; 400, 404.
func (a *API) publishProducts(r *request) (answer, error) {
	channel, err := pathID[id.Channel](r, "id", "channel")
	if err != nil {
		return answer{}, err
	}
	o := r.object()
	draft := readPublications(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		done, err := a.Commerce.PublishProducts(tx, channel, draft.products, draft.skus)
		return one(http.StatusOK, string(channel), func(w *apijson.Writer) { writePublished(w, done) }), err
	})
}

func writePublished(w *apijson.Writer, p commerce.Published) {
	w.Record("Published", "data")
	w.Int("published", int64(p.Count))
	apijson.Texts(w, "notFound", p.NotFound)
	apijson.IDOrNull(w, "jobId", p.Job)
	w.End()
}

// listPublications serves GET /api/v1/channels/{id}/publications: 200; 400, 404.
func (a *API) listPublications(r *request) (out answer, err error) {
	q := r.query()
	p := readPage(q, 20, 250)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	c, err := a.channel(r)
	if err != nil {
		return answer{}, err
	}
	err = a.read(r, func(tx *db.Tx) error {
		list, total, err := catalog.OnChannel(tx, c.ID, p.Limit, p.Offset())
		out = one(http.StatusOK, "", func(w *apijson.Writer) { writePublications(w, list, p, total) })
		return err
	})
	return out, err
}

func writePublications(w *apijson.Writer, list []catalog.ChannelPublication, p page, total int64) {
	w.List("data")
	for _, b := range list {
		records.WritePublication(w, b)
	}
	w.EndList()
	writeMeta(w, p, total, nil)
}

func samplePublications(w *apijson.Writer) {
	writePublications(w, []catalog.ChannelPublication{records.SamplePublication}, page{1, 20}, 1)
}

// unpublishProduct serves DELETE /api/v1/channels/{id}/publications/{productId}: 200; 404.
func (a *API) unpublishProduct(r *request) (answer, error) {
	product, err := pathID[id.Product](r, "productId", "publication")
	if err != nil {
		return answer{}, err
	}
	c, err := a.channel(r)
	if err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		a.Commerce.UnpublishProduct(tx, c, product)
		return deleted(product, nil), nil
	})
}

// syncChannel serves POST /api/v1/channels/{id}/sync: 202 with the job; 400, 404.
func (a *API) syncChannel(r *request) (answer, error) {
	channel, err := pathID[id.Channel](r, "id", "channel")
	if err != nil {
		return answer{}, err
	}
	o := r.object()
	draft := drafts.ReadSync(o)
	if err := o.Err(); err != nil {
		return answer{}, err
	}
	return a.write(r, func(tx *db.Tx) (answer, error) {
		j, err := a.Commerce.SyncChannel(tx, channel, draft)
		return one(http.StatusAccepted, string(j.ID), func(w *apijson.Writer) { records.WriteJob(w, "data", j) }), err
	})
}

// checkChannel serves POST /channels/{id}/sync/test: 200; 400 for a custom channel, 404.
func (a *API) checkChannel(r *request) (answer, error) {
	c, err := a.channel(r)
	if err != nil {
		return answer{}, err
	}
	if c.Platform == channels.Custom {
		return answer{}, apperr.New(apperr.Invalid, "validation_failed", "a custom channel has no connection to test: its system calls this one")
	}
	var result commerce.ConnectionTest
	if err := a.outside(r, func() (err error) {
		result, err = a.Commerce.CheckChannel(r.ctx(), a.DB, c, a.publicBase(r))
		return err
	}); err != nil {
		return answer{}, err
	}
	return a.write(r, func(*db.Tx) (answer, error) { // only the answer is stored, for the Idempotency-Key
		return one(http.StatusOK, string(c.ID), func(w *apijson.Writer) { writeTest(w, result) }), nil
	})
}

func writeTest(w *apijson.Writer, t commerce.ConnectionTest) {
	w.Record("ConnectionTest", "data")
	w.Bool("success", t.Success)
	w.Text("message", t.Message)
	w.Micros("checkedAt", t.CheckedAt)
	apijson.Texts(w, "webhooksRegistered", t.WebhooksRegistered)
	writeTestedShop(w, t.Shop)
	apijson.Texts(w, "missing", t.Missing)
	if t.Paste == nil {
		w.Null("paste")
	} else {
		w.MayBeNull("paste")
		w.Record("WebhookPaste", "paste")
		w.Text("url", t.Paste.URL)
		w.Text("header", t.Paste.Header)
		w.Text("secret", t.Paste.Secret)
		w.End()
	}
	w.End()
}

// writeTestedShop writes what a test learnt about the shop; null if the test did not reach it.
func writeTestedShop(w *apijson.Writer, shop *connector.Shop) {
	if shop == nil {
		w.Null("shop")
		return
	}
	w.MayBeNull("shop")
	w.Record("TestedShop", "shop")
	w.TextOrNull("name", shop.Name)
	w.TextOrNull("url", shop.URL)
	w.TextOrNull("version", shop.Version)
	w.TextOrNull("currency", shop.Currency)
	w.TextOrNull("timezone", shop.Timezone)
	if shop.PricesIncludeTax == nil {
		w.Null("pricesIncludeTax")
	} else {
		w.MayBeNull("pricesIncludeTax")
		w.Bool("pricesIncludeTax", *shop.PricesIncludeTax)
	}
	w.End()
}

func sampleTest(w *apijson.Writer) {
	taxed := true
	writeTest(w, commerce.ConnectionTest{Success: true, Message: "connected to Mug Shop", CheckedAt: records.SampleTime,
		WebhooksRegistered: []string{"order.updated"},
		Shop: &connector.Shop{Name: "Mug Shop", URL: "https://shop.example", Version: "11.0.1", Currency: "EUR", Timezone: "Europe/Paris",
			PricesIncludeTax: &taxed},
		Paste: &commerce.Paste{URL: "https://entrepot.example/api/v1/webhooks/platform/019a1c52-7c1e-7d40-9a55-000000000103/prestashop",
			Header: "X-PrestaShop-Signature", Secret: "…"}})
}
