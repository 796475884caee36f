package dashboard

import (
	"strings"
	"time"

	"entrepot/internal/analytics"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// openWork is the work that waits for people and that this user may see.
type openWork struct {
	toShip, low int64
	stuck       int64 // orders that do not follow their platform until a person decides
	oldest      int64 // creation of the oldest waiting order
	oversold    []analytics.Level
	failing     []failing
	hooks       []healthRow
	anyProduct  bool       // read for the first steps
	failed      int64      // jobs
	lastFailed  []jobs.Job // the newest of them
	reconnect   []channels.Channel
}

// failing is an endpoint whose newest attempts all failed.
type failing struct {
	name    string
	id      id.Endpoint
	waiting int64
	health  webhooks.Health
}

// failedFor is how long a failed job is shown as open work.
const failedFor = 7 * 24 * time.Hour

// read reads it.
func (w *openWork) read(tx *db.Tx, r *request) error {
	var parts []func(*db.Tx) error
	for scope, part := range map[string]func(*db.Tx) error{
		"read:orders": w.readOrders, "read:webhooks": w.readHooks, "read:inventory": func(tx *db.Tx) (err error) {
			w.oversold, w.low, err = analytics.Oversold(tx, 3)
			return err
		}, "read:channels": func(tx *db.Tx) error { return w.readChannels(tx, r.format.now) },
	} {
		if r.caller().May(scope) {
			parts = append(parts, part)
		}
	}
	return tx.Together(parts...)
}

// readOrders reads how many orders wait for shipment, the creation time of the oldest, and how many wait for a
// decision.
func (w *openWork) readOrders(tx *db.Tx) error {
	return tx.Together(func(tx *db.Tx) (err error) {
		w.toShip, w.oldest, err = orders.ToShip(tx)
		return err
	}, func(tx *db.Tx) (err error) {
		w.stuck, err = orders.CountStuck(tx)
		return err
	})
}

// readChannels reads the recently failed jobs, and the channels whose credentials were refused.
func (w *openWork) readChannels(tx *db.Tx, now time.Time) error {
	since := now.Add(-failedFor).UnixMicro()
	return tx.Together(func(tx *db.Tx) (err error) {
		w.failed, err = jobs.CountFailed(tx, since)
		return err
	}, func(tx *db.Tx) (err error) {
		w.lastFailed, _, err = jobs.List(tx, jobs.Filter{Statuses: []jobs.Status{jobs.Failed}, Limit: 1})
		return err
	}, func(tx *db.Tx) error {
		list, _, err := channels.List(tx, 100, 0)
		for _, c := range list {
			if brokenChannel(c) {
				w.reconnect = append(w.reconnect, c)
			}
		}
		return err
	})
}

// readHooks reads the health of the endpoints.
func (w *openWork) readHooks(tx *db.Tx) error {
	list, _, err := webhooks.Endpoints(tx, 100, 0)
	if err != nil || len(list) == 0 {
		return err
	}
	ids := make([]id.Endpoint, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	var health []webhooks.Health
	var counts map[id.Endpoint]webhooks.Counts
	err = tx.Together(func(tx *db.Tx) (err error) {
		health, err = webhooks.HealthOf(tx, ids)
		return err
	}, func(tx *db.Tx) (err error) {
		counts, err = webhooks.Tallies(tx)
		return err
	})
	if err != nil {
		return err
	}
	for i := range list {
		e, h := &list[i], health[i]
		row := healthRow{Name: endpointName(e), To: prefix + "/webhooks/" + string(e.ID), Words: "no attempts yet", Tone: "idle",
			Glyph: "pending"}
		if h.Attempts > 0 {
			row.Words, row.Answered, row.Attempts = "", h.Answered, h.Attempts
			row.Tone, row.Glyph = "good", "ok"
		}
		switch {
		case h.Failing():
			row.Tone, row.Glyph = "bad", "fail"
			w.failing = append(w.failing, failing{row.Name, e.ID, counts[e.ID].Pending, h})
		case h.Attempts > 0 && h.Answered*2 < h.Attempts:
			row.Tone, row.Glyph = "warn", "wait"
		}
		w.hooks = append(w.hooks, row)
	}
	return nil
}

// needs is the open work in the form of the page; low is the text about levels that are low.
func (w openWork) needs(r *request, low []need) (list []need) {
	f := r.format
	if w.toShip > 0 {
		list = append(list, need{Tone: "warn", Icon: "truck", Head: f.plural(w.toShip, "order to ship", "orders to ship"),
			Text: "The oldest came", At: f.Stamp(w.oldest), Label: "Ship orders",
			To: prefix + "/orders?sort=createdAt:asc&status=PROCESSING,PARTIALLY_SHIPPED"})
	}
	if w.stuck > 0 {
		list = append(list, need{Tone: "bad", Icon: "alert", Head: f.plural(w.stuck, "order disagrees with its shop", "orders disagree with their shops"),
			Text: "What the shop says cannot be taken over; nothing of their stock is freed", Label: "Decide", To: prefix + "/orders?stuck=true"})
	}
	for _, e := range w.failing {
		text := r.say("None of the last %s succeeded", f.plural(e.health.Attempts, "attempt", "attempts"))
		if e.waiting > 0 {
			text += "; " + f.plural(e.waiting, "delivery waits", "deliveries wait")
		}
		list = append(list, need{Tone: "bad", Icon: "hook", Head: r.say("%s fails", e.name),
			Text: text, To: prefix + "/webhooks/" + string(e.id), Label: "Inspect"})
	}
	if n := int64(len(w.oversold)); n > 0 {
		var names []string
		for _, l := range w.oversold {
			names = append(names, l.SKU+" "+f.Count(l.OnHand-l.Reserved))
		}
		oversold := need{Tone: "bad", Icon: "stock", Head: f.plural(w.low, "SKU oversold", "SKUs oversold"), Text: strings.Join(names, ", "),
			To: prefix + "/stock?view=oversold", Label: "See stock"}
		if w.low == 1 && r.caller().May("read:orders") {
			oversold.To, oversold.Label = stockPath(w.oversold[0].SKU)+"#held", "See its orders"
		}
		list = append(list, oversold)
	}
	list = append(list, low...)
	if w.failed > 0 && len(w.lastFailed) > 0 {
		list = append(list, need{Tone: "warn", Icon: "retry", Head: f.plural(w.failed, "job failed", "jobs failed"),
			Text: strings.TrimSpace(jobWord(w.lastFailed[0].Type) + " " + w.lastFailed[0].ChannelName), To: prefix + "/jobs?status=FAILED",
			Label: "Read why"})
	}
	for _, c := range w.reconnect {
		list = append(list, need{Tone: "bad", Icon: "plug", Head: r.say("Reconnect %s", c.Name), Text: channelBadge(c).Word,
			To: prefix + "/channels/" + string(c.ID), Label: "Reconnect"})
	}
	return list
}
