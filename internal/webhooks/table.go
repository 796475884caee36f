package webhooks

import (
	"strconv"
	"strings"

	"entrepot/internal/db"
)

// endpointTable has an endpoint's own row. since is taken when the row is inserted: Update leaves stamps as they are.
var endpointTable = db.NewTable("endpoints",
	db.Col("id", func(e *Endpoint) any { return &e.ID }).Fixed(),
	db.Col("url", func(e *Endpoint) any { return &e.URL }),
	db.Col("secret", func(e *Endpoint) any { return &e.Secret }),
	db.Col("old_secret", func(e *Endpoint) any { return &e.OldSecret }),
	db.Col("old_secret_until", func(e *Endpoint) any { return &e.OldSecretUntil }),
	db.Coded("events", func(e *Endpoint) string { return strings.Join(e.Events, " ") },
		func(e *Endpoint, text string) error { e.Events = strings.Fields(text); return nil }),
	db.Col("description", func(e *Endpoint) any { return &e.Description }),
	db.Col("status", func(e *Endpoint) any { return &e.Status }),
	db.Col("ordered", func(e *Endpoint) any { return &e.Ordered }),
	db.Col("since", func(e *Endpoint) any { return &e.Since }).Stamp(),
	db.Col("created_at", func(e *Endpoint) any { return &e.CreatedAt }).Fixed(),
	db.Col("updated_at", func(e *Endpoint) any { return &e.UpdatedAt }),
	db.Col("made_by_key", func(e *Endpoint) any { return &e.MadeByKey }).Null(),
	db.Col("made_by_user", func(e *Endpoint) any { return &e.MadeByUser }).Null(),
	db.Joined(`(SELECT CASE WHEN k.revoked_at IS NULL THEN coalesce(k.expires_at, `+strconv.FormatInt(never, 10)+`) ELSE 0 END FROM api_keys k
		WHERE k.tenant_id = endpoints.tenant_id AND k.id = endpoints.made_by_key)`, func(e *Endpoint) any { return &e.keyUntil }),
	db.Joined("(SELECT k.scopes FROM api_keys k WHERE k.tenant_id = endpoints.tenant_id AND k.id = endpoints.made_by_key)",
		func(e *Endpoint) any { return &e.keyScopes }),
	db.Joined("(SELECT u.status FROM users u WHERE u.tenant_id = endpoints.tenant_id AND u.id = endpoints.made_by_user)",
		func(e *Endpoint) any { return &e.userStatus }),
).Of("endpoint")

// never is a time later than all others.
const never = 1 << 62

// deliveryTable is for reading; enqueue, settle and again write many deliveries at once. The table also has the column
// lane: the ordering key of a pending delivery of an ordered endpoint.
var deliveryTable = db.NewTable("deliveries", deliveryColumns(func(d *Delivery) *Delivery { return d })...).Of("delivery")

// readyTable also reads what to send.
var readyTable = db.NewTable("deliveries", append(deliveryColumns(func(r *Ready) *Delivery { return &r.Delivery }),
	db.Joined("octet_length(e.payload)", func(r *Ready) any { return &r.Size }),
	db.Joined("CASE WHEN octet_length(e.payload) <= "+strconv.Itoa(ShortPayload)+" THEN e.payload END",
		func(r *Ready) any { return &r.Text }),
	db.Joined("coalesce(e.edited_at, 0)", func(r *Ready) any { return &r.EditedAt }),
	db.Joined("coalesce(e.request_id, '')", func(r *Ready) any { return &r.Origin }))...)

// deliveryColumns are the columns of a delivery, which is T or a part of it.
func deliveryColumns[T any](of func(*T) *Delivery) []db.Column[T] {
	return []db.Column[T]{
		db.Col("id", func(t *T) any { return &of(t).ID }),
		db.Col("endpoint_id", func(t *T) any { return &of(t).Endpoint }),
		db.Col("position", func(t *T) any { return &of(t).Position }),
		db.Col("event_id", func(t *T) any { return &of(t).Event }),
		db.Col("event_stamp", func(t *T) any { return &of(t).EventStamp }),
		db.Col("event", func(t *T) any { return &of(t).Name }),
		db.Col("resource_id", func(t *T) any { return &of(t).Resource }),
		db.Col("ordered", func(t *T) any { return &of(t).Ordered }),
		db.Col("by_hand", func(t *T) any { return &of(t).ByHand }),
		db.Col("state", func(t *T) any { return &of(t).State }),
		db.Col("attempts", func(t *T) any { return &of(t).Attempts }),
		db.Col("due_at", func(t *T) any { return &of(t).DueAt }).Null(),
		db.Col("attempted_at", func(t *T) any { return &of(t).AttemptedAt }).Null(),
		db.Col("status_code", func(t *T) any { return &of(t).StatusCode }).Null(),
		db.Col("error", func(t *T) any { return &of(t).Error }).Null(),
	}
}

// countTable has the counts of an endpoint's deliveries by state, which are columns of its queue.
var countTable = db.NewTable("queues",
	db.Col("pending", func(c *Counts) any { return &c.Pending }),
	db.Col("delivered", func(c *Counts) any { return &c.Delivered }),
	db.Col("failed", func(c *Counts) any { return &c.Failed }),
).Of("endpoint")

// triedTable is an attempt without the receiver's answer, attemptTable the whole. keepAttempts writes many at once.
var (
	triedTable = db.NewTable("attempts",
		db.Col("number", func(a *Attempt) any { return &a.Number }),
		db.Col("at", func(a *Attempt) any { return &a.At }),
		db.Col("status_code", func(a *Attempt) any { return &a.StatusCode }).Null(),
		db.Col("duration_ms", func(a *Attempt) any { return &a.Duration }),
		db.Col("error", func(a *Attempt) any { return &a.Error }).Null())
	attemptTable = triedTable.Plus(db.Col("response_body", func(a *Attempt) any { return &a.Response }).Null())
)

// undeliveredTable has the values of a new delivery that come from its event.
var undeliveredTable = db.NewTable("events",
	db.Col("stamp", func(d *Delivery) any { return &d.EventStamp }),
	db.Col("id", func(d *Delivery) any { return &d.Event }),
	db.Col("event", func(d *Delivery) any { return &d.Name }),
	db.Col("resource_id", func(d *Delivery) any { return &d.Resource }))

// replayTable has replays that are not complete. Only the progress of one is updated.
var replayTable = db.NewTable("replays",
	db.Col("id", func(r *Replay) any { return &r.ID }),
	db.Col("endpoint_id", func(r *Replay) any { return &r.Endpoint }),
	db.Coded("events", func(r *Replay) string { return strings.Join(r.Events, " ") },
		func(r *Replay, text string) error { r.Events = strings.Fields(text); return nil }),
	db.Col("only_failed", func(r *Replay) any { return &r.OnlyFailed }),
	db.Col("after", func(r *Replay) any { return &r.after }),
	db.Col("until", func(r *Replay) any { return &r.until }),
	db.Col("from_time", func(r *Replay) any { return &r.From }),
	db.Col("to_time", func(r *Replay) any { return &r.To }),
)
