package orders

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// SyncState says whether the order's channel has received its newest status (interface §2.1).
type SyncState string

// The states; "" is the state of an order without a platform.
const (
	Synced      SyncState = "synced"
	SyncPending SyncState = "pending"
	SyncFailed  SyncState = "failed"
	SyncSkipped SyncState = "skipped" // the platform has no such status, or the merchant set it there
)

// Sync is the outcome of sending the order's status to its platform.
type Sync struct {
	State     SyncState
	Error     string
	Attempts  int64
	UpdatedAt int64
}

// Refund is money that was paid back.
type Refund struct {
	ID         string
	ExternalID string // the platform's id, "" for one that the platform does not have
	Amount     money.Amount
	Reason     string
	CreatedAt  int64
	Unsent     bool // it was recorded here and waits to be pushed to the platform
	Lines      []RefundLine
}

// RefundLine is the refunded part of a line; quantity 0 refunds money only.
type RefundLine struct {
	Line     id.Line
	Quantity int64
	Amount   money.Amount
}

// IssueCode says what kind of issue an order has.
type IssueCode string

// The codes (interface §2.1).
const (
	UnknownSKU        IssueCode = "unknown_sku"
	IllegalTransition IssueCode = "illegal_transition"
	SyncConflict      IssueCode = "conflict"
	AmountsDiffer     IssueCode = "amounts_differ"
)

// Issue is a part of the platform's order that could not be applied and that needs a person's attention.
type Issue struct {
	Code      IssueCode
	Path      string // the field of the issue
	Message   string
	CreatedAt int64
	ClosedAt  int64 // when a person closed the issue; 0: open
}

type refundRow struct {
	order id.Order
	Refund
}

var refundTable = db.NewTable("order_refunds",
	db.Col("order_id", func(r *refundRow) any { return &r.order }),
	db.Col("id", func(r *refundRow) any { return &r.ID }),
	db.Col("external_id", func(r *refundRow) any { return &r.ExternalID }),
	db.Col("amount", func(r *refundRow) any { return &r.Amount }),
	db.Col("reason", func(r *refundRow) any { return &r.Reason }).Null(),
	db.Col("created_at", func(r *refundRow) any { return &r.CreatedAt }),
	db.Col("unsent", func(r *refundRow) any { return &r.Unsent }),
)

type refundLineRow struct {
	order  id.Order
	refund string
	RefundLine
}

var refundLineTable = db.NewTable("order_refund_lines",
	db.Col("order_id", func(l *refundLineRow) any { return &l.order }),
	db.Col("refund_id", func(l *refundLineRow) any { return &l.refund }),
	db.Col("line_id", func(l *refundLineRow) any { return &l.Line }),
	db.Col("quantity", func(l *refundLineRow) any { return &l.Quantity }),
	db.Col("amount", func(l *refundLineRow) any { return &l.Amount }),
)

type issueRow struct {
	order id.Order
	Issue
}

var issueTable = db.NewTable("order_issues",
	db.Col("order_id", func(i *issueRow) any { return &i.order }),
	db.Col("code", func(i *issueRow) any { return &i.Code }),
	db.Col("path", func(i *issueRow) any { return &i.Path }),
	db.Col("message", func(i *issueRow) any { return &i.Message }),
	db.Col("created_at", func(i *issueRow) any { return &i.CreatedAt }),
	db.Col("closed_at", func(i *issueRow) any { return &i.ClosedAt }).Null(),
)

// prefetchRefunds prefetches the refunds of an order, oldest first.
func prefetchRefunds(r db.Reader, order id.Order) *db.Pending[[]Refund] {
	p, at := new(db.Pending[[]Refund]), map[string]int{}
	scan, scanLine := refundTable.Scanner(), refundLineTable.Scanner()
	heads := prefetchOf(r, refundsOf, order, func(row db.Rows) error {
		head, err := scan(row)
		at[head.ID] = len(p.Value)
		p.Value = append(p.Value, head.Refund)
		return err
	})
	lines := prefetchOf(r, refundLinesOf, order, func(row db.Rows) error {
		l, err := scanLine(row)
		if err != nil {
			return err
		}
		refund := &p.Value[at[l.refund]]
		refund.Lines = append(refund.Lines, l.RefundLine)
		return nil
	})
	return p.Await(heads, lines)
}

// prefetchIssues prefetches the issues of an order, oldest first.
func prefetchIssues(r db.Reader, order id.Order) *db.Pending[[]Issue] {
	p := new(db.Pending[[]Issue])
	scan := issueTable.Scanner()
	return p.Await(prefetchOf(r, issuesOf, order, func(row db.Rows) error {
		i, err := scan(row)
		p.Value = append(p.Value, i.Issue)
		return err
	}))
}

// OpenIssues returns the issues that nobody has closed.
func (o *Order) OpenIssues() []Issue {
	return slices.DeleteFunc(slices.Clone(o.Issues), func(i Issue) bool { return i.ClosedAt != 0 })
}

// stuck are the codes of issues that keep an order from following its platform until a person has decided.
var stuck = []IssueCode{IllegalTransition, SyncConflict}

// Stuck reports whether the issue keeps its order from following its platform until a person has decided.
func (i Issue) Stuck() bool { return slices.Contains(stuck, i.Code) }

// isStuck is the condition of issues i that keep their orders from following their platforms.
const isStuck = "i.tenant_id = $1 AND i.closed_at IS NULL AND i.code IN ('illegal_transition', 'conflict')"

// CountStuck counts the orders with an open issue that keeps them from following their platform.
func CountStuck(tx *db.Tx) (n int64, err error) {
	return n, tx.Row("SELECT count(DISTINCT i.order_id) FROM order_issues i WHERE "+isStuck, []any{tx.Tenant}, &n)
}

// Flag queues an issue of a locked order, unless the order has the issue already, closed or not. For one code and path
// only the newest message is stored.
func Flag(tx db.Writer, o *Order, code IssueCode, path, message string) {
	for _, i := range o.Issues {
		if i.Code != code || i.Path != path {
			continue
		}
		if i.Message == message {
			return
		}
		Unflag(tx, o, code, path)
	}
	issue := Issue{Code: code, Path: path, Message: message, CreatedAt: tx.Micros()}
	o.Issues = append(o.Issues, issue)
	issueTable.Insert(tx, issueRow{o.ID, issue})
}

// CloseStuck queues closing the open issues that keep a locked order from following its platform. It reports whether
// there are any.
func CloseStuck(tx db.Writer, o *Order) (any bool) {
	o.Issues = slices.Clone(o.Issues)
	for i := range o.Issues {
		if is := &o.Issues[i]; is.ClosedAt == 0 && is.Stuck() {
			is.ClosedAt, any = tx.Micros(), true
			tx.Queue("UPDATE order_issues SET closed_at = $5 WHERE tenant_id = $1 AND order_id = $2::UUID AND code = $3 AND path = $4",
				tx.TenantID(), o.ID, string(is.Code), is.Path, is.ClosedAt).Rows(1, nil)
		}
	}
	return any
}

// Unflag queues the removal of an issue of a locked order.
func Unflag(tx db.Writer, o *Order, code IssueCode, path string) {
	o.Issues = slices.DeleteFunc(slices.Clone(o.Issues), func(i Issue) bool { return i.Code == code && i.Path == path })
	tx.Queue("DELETE FROM order_issues WHERE tenant_id = $1 AND order_id = $2::UUID AND code = $3 AND path = $4", tx.TenantID(), o.ID,
		string(code), path)
}

// LineOf finds the line with a platform's id; nil if there is none.
func (o *Order) LineOf(externalID string) *Line {
	for i := range o.Lines {
		if externalID != "" && o.Lines[i].ExternalID == externalID {
			return &o.Lines[i]
		}
	}
	return nil
}

// Way lists the allowed status changes that lead from one status to another; nil if there is no such path, or none is
// needed. Shipments are not among the changes, so no path leads to PARTIALLY_SHIPPED.
func Way(from, to Status) []Status {
	type leg struct {
		at  Status
		way []Status
	}
	seen := map[Status]bool{from: true}
	for queue := []leg{{at: from}}; len(queue) > 0; queue = queue[1:] {
		here := queue[0]
		if here.at == to {
			return here.way
		}
		for _, next := range moves[here.at] {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, leg{next, append(here.way[:len(here.way):len(here.way)], next)})
			}
		}
	}
	return nil
}

// ByPlatformID finds a channel's order by the platform's id, the newest one of an order that was reopened; "" if there is none.
func ByPlatformID(tx *db.Tx, channel id.Channel, platformID string) (id.Order, error) {
	var order id.Order
	found := tx.Prefetch(func(r db.Rows) error { return r.Scan(&order) },
		"SELECT id FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID AND platform_id = $3 ORDER BY generation DESC LIMIT 1",
		tx.Tenant, channel, platformID)
	err := found.Wait()
	return order, err
}

// Bought is an order with its customer, "" for none.
type Bought struct {
	Order    id.Order
	Customer id.Customer
}

// OfPlatformBuyer finds the orders of all channels of a platform whose buyer has one of some names there.
func OfPlatformBuyer(tx *db.Tx, platform string, names []string) (list []Bought, err error) {
	return list, db.Chunks(names, func(piece []string) error {
		args := append([]any{tx.Tenant, platform}, db.Padded(piece)...)
		found, err := db.List(tx, func(r db.Rows) (b Bought, err error) { return b, r.Scan(&b.Order, db.Opt(&b.Customer)) },
			`SELECT o.id, o.customer_id FROM channels c JOIN orders o ON o.tenant_id = c.tenant_id AND o.channel_id = c.id
			WHERE c.tenant_id = $1 AND c.platform = $2 AND o.platform_buyer IN `+db.In(len(args)-2, 3), args...)
		list = append(list, found...)
		return err
	})
}

// AwaitSync lists orders of a channel whose newest status was not sent to the platform yet, in the order of their ids.
func AwaitSync(tx *db.Tx, channel id.Channel, after id.Order, limit int) ([]id.Order, error) {
	if after == "" {
		after = id.BeforeAll
	}
	return db.List(tx, func(r db.Rows) (order id.Order, err error) { return order, r.Scan(&order) },
		`SELECT id FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID AND channel_sync = 'pending'
			AND id > $3::UUID ORDER BY id LIMIT $4::BIGINT`,
		tx.Tenant, channel, after, limit)
}

// OnPlatform is an order of a platform.
type OnPlatform struct {
	ID         id.Order
	PlatformID string
	RecordedAt int64 // when it was stored
}

// OpenOnPlatform lists open orders of a platform's channel, after one, in the order of their ids.
func OpenOnPlatform(tx *db.Tx, channel id.Channel, after id.Order, limit int) ([]OnPlatform, error) {
	if after == "" {
		after = id.BeforeAll
	}
	return db.List(tx, func(r db.Rows) (o OnPlatform, err error) { return o, r.Scan(&o.ID, &o.PlatformID, &o.RecordedAt) },
		`SELECT id, platform_id, coalesce(recorded_at, created_at) FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID
			AND status IN ('PENDING', 'PROCESSING', 'PARTIALLY_SHIPPED') AND platform_id IS NOT NULL AND id > $3::UUID ORDER BY id LIMIT $4::BIGINT`,
		tx.Tenant, channel, after, limit)
}

// SaveSync writes the outcome of sending a locked order's status.
func SaveSync(tx db.Writer, o *Order) {
	tx.Queue(`UPDATE orders SET channel_sync = $3, channel_sync_error = $4, channel_sync_attempts = $5, channel_sync_at = $6,
		sent_status = $7 WHERE tenant_id = $1 AND id = $2::UUID`, tx.TenantID(), o.ID, string(o.Sync.State), db.Null(o.Sync.Error),
		o.Sync.Attempts, o.Sync.UpdatedAt, db.Null(o.SentStatus)).Rows(1, nil)
}
