package connector

import (
	"context"
	"time"
)

// Platform is a Connector that also calls its platform: it pushes products, stock, prices and states of orders, and pulls orders
// (interface §1, §6.3). It is safe for concurrent use and keeps no state of a channel.
type Platform interface {
	Connector

	// Capabilities says what the platform can do and how it likes to be called.
	Capabilities() Capabilities

	// Open makes a session for one channel. It sends no request.
	Open(Link) Session
}

// Link is what a session is given of its channel.
type Link struct {
	Channel Channel // credentials in the clear, as they were when the session was opened
	Client  *Client // sends requests: limits, addresses, bytes and times are its business
	Tokens  Tokens  // renews access tokens
	Facts   Facts   // small things that are kept of this shop
	Now     func() time.Time
}

// Capabilities says what a platform can do. What it cannot is skipped and shown as skipped; it is no error.
type Capabilities struct {
	Products bool // Upsert and Unpublish
	Stock    bool // SetStock and ReadStock
	Prices   bool // SetPrices
	Orders   bool // PullOrders and PullOrder
	Webhooks bool // EnsureWebhooks and RemoveWebhooks
	Async    bool // Upsert, SetStock or SetPrices may answer pending, to be asked for by Poll

	PartialShipments bool // a shipment of a part of an order can be shown
	Tracking         bool // PushShipment
	Statuses         []Status

	Batch  Batch
	Limits []Limit
	Time   Timing
}

// Batch bounds how many entries one call of the session gets; 0 stands for 1.
type Batch struct {
	Products, Stock, Prices int
	Orders                  int // of an OrderReader
	Notified                int // orders that one run reads because notifications named them; 0: all that the run was given
}

// Timing says how a platform's clock and lists behave.
type Timing struct {
	Overlap time.Duration // how far a pull of orders reaches back behind the end of the one before it
	Tail    time.Duration // how close to the platform's present a pull of orders goes
	Every   time.Duration // least time between two scheduled pulls, and before a push; 0: whatever the channel says
	Poll    time.Duration // until what the platform works on is asked for again; 0 for a minute
}

// Limit is a bucket of requests: Burst at once, then one each Every. Requests of a context made by Within take from the bucket of that
// name, all others from the one named "".
type Limit struct {
	Name   string
	Every  time.Duration
	Burst  int
	AtOnce int // requests under way at a time; 0 for no bound
}

// Session is one channel's platform, ready to be called. It is used by one goroutine at a time. Every error is a *Failure, or the
// context's.
//
// Whatever writes may be called again with the same arguments after its answer was lost: a session looks whether the write has
// happened before it repeats one that the platform would double.
type Session interface {
	// Test proves that the credentials may read and write, and changes nothing that a customer would see. What is missing stands in
	// Shop.Missing; an error says that nothing could be proved.
	Test(ctx context.Context) (Shop, error)

	// EnsureWebhooks makes the platform notify target of orders and products: what is there is found by address and topic and
	// switched on again, never made twice. It gives all topics that are on.
	EnsureWebhooks(ctx context.Context, target WebhookTarget) ([]Webhook, error)
	// RemoveWebhooks takes away what EnsureWebhooks made for that target.
	RemoveWebhooks(ctx context.Context, target WebhookTarget) error

	// Upsert puts products on sale, or changes them, at most Batch.Products of them. A SKU that is there already is adopted. It gives
	// a result for every SKU of every product, the product's own first. Nothing half-made stays on sale.
	Upsert(ctx context.Context, products []Product) ([]Result, error)
	// Unpublish takes products off sale: hidden, or gone from the platform. One that is not there is a success.
	Unpublish(ctx context.Context, items []Item, remove bool) ([]Result, error)
	// Poll asks what became of results that were Waiting, by their Operation, which each result names. A result without SKU is about all
	// SKUs of its operation that have none of their own; an operation without any is Waiting still. Results stand beside an error. What a
	// Review is about is asked for in the same way: Failed then says why the platform keeps what it showed before.
	Poll(ctx context.Context, operations []string) ([]Result, error)

	// SetStock makes the platform show these quantities, none of which is below 0; SetPrices these prices. At most Batch.Stock and
	// Batch.Prices of them, those of one product beside each other. The result of an item that the platform does not have is Gone.
	// Results of what was done before a call failed stand beside the error, so that the next try goes on from there.
	SetStock(ctx context.Context, items []StockItem) ([]Result, error)
	SetPrices(ctx context.Context, items []PriceItem) ([]Result, error)
	// ReadStock gives the quantities that the platform shows, of the items it has, at most Batch.Stock of them.
	ReadStock(ctx context.Context, items []Item) (map[string]int64, error)

	// PullOrders gives a page of the orders that changed since cursor.Since, in any order and possibly more than once. The last page
	// says until when, by the platform's clock, nothing is missing.
	PullOrders(ctx context.Context, cursor Cursor) (OrderPage, error)
	// PullOrder gives one order. Failure Missing when the platform does not have it (yet).
	PullOrder(ctx context.Context, externalID string) (Order, error)

	// PushShipment shows a parcel on the platform, with carrier and tracking; PushStatus moves an order there; PushCancel cancels it.
	// They read first: what is so already is a success without a write. Failure Unsupported is a clean skip; Underway stands for a write
	// that was taken and is not done: the same call says later what became of it.
	PushShipment(ctx context.Context, order OrderRef, parcel Parcel) error
	PushStatus(ctx context.Context, order OrderRef, to Status) error
	PushCancel(ctx context.Context, order OrderRef, reason string) error
}

// LevelSetter is a Session whose platform takes stock and prices in one request: SetLevels then stands for SetStock and SetPrices. Of each
// SKU it gives one result.
type LevelSetter interface {
	SetLevels(ctx context.Context, stocks []StockItem, prices []PriceItem) ([]Result, error)
}

// OrderReader is a Session whose platform gives several orders by their ids in one request, at most Batch.Orders of them. Those that it
// does not have are left out; the page is the only one.
type OrderReader interface {
	ReadOrders(ctx context.Context, externalIDs []string) (OrderPage, error)
}

// Collector is a Session that sends some writes together, which it answered with Underway: Send is called when all that waits was pushed.
// What was noted and not sent is noted again by the next run.
type Collector interface {
	Send(ctx context.Context) error
}

// Shop is what a test found out about the other side.
type Shop struct {
	Name             string
	URL              string
	Version          string
	Currency         string // ISO 4217
	Timezone         string // IANA name, or an offset as "+02:00"
	PricesIncludeTax *bool  // nil when the platform does not say
	Missing          []string
}

// WebhookTarget is where a platform shall send its notifications, and the secret by which it signs them.
type WebhookTarget struct{ URL, Secret string }

// Webhook is one registration on the platform.
type Webhook struct {
	Topic  string // the platform's name
	Status string // "active", else what the platform calls it
}

// Tokens renews access tokens.
type Tokens interface {
	// Renew replaces credentials: one caller at a time for a channel, whatever the number of nodes. stale is the value of the field
	// name that the caller found refused or expired: when the stored value differs by now, somebody else has renewed it, and the
	// stored credentials are given back without a call of renew. What renew returns is stored before Renew returns it, so a rotated
	// refresh token is never lost. Fields that renew does not give stay. A Failure Unauthorized of renew makes the channel
	// needs_reauth.
	Renew(ctx context.Context, name, stale string, renew func(context.Context, Credentials) (Credentials, error)) (Credentials, error)
}

// Facts keeps small things that a session found out about its shop, such as which way of authentication works. They may be forgotten at
// any time. Names and values are short texts without personal data or secrets; an empty value forgets the name.
type Facts interface {
	Fact(name string) string
	Keep(name, value string)
}

// Unsupported answers every call of a session with Failure Unsupported. A platform embeds it and writes what it can do.
type Unsupported struct{}

var errUnsupported = &Failure{Kind: Cannot, Message: "the platform cannot do this"}

// Test is not supported.
func (Unsupported) Test(context.Context) (Shop, error) { return Shop{}, errUnsupported }

// EnsureWebhooks is not supported.
func (Unsupported) EnsureWebhooks(context.Context, WebhookTarget) ([]Webhook, error) {
	return nil, errUnsupported
}

// RemoveWebhooks is not supported.
func (Unsupported) RemoveWebhooks(context.Context, WebhookTarget) error { return errUnsupported }

// Upsert is not supported.
func (Unsupported) Upsert(context.Context, []Product) ([]Result, error) { return nil, errUnsupported }

// Unpublish is not supported.
func (Unsupported) Unpublish(context.Context, []Item, bool) ([]Result, error) {
	return nil, errUnsupported
}

// Poll is not supported.
func (Unsupported) Poll(context.Context, []string) ([]Result, error) { return nil, errUnsupported }

// SetStock is not supported.
func (Unsupported) SetStock(context.Context, []StockItem) ([]Result, error) {
	return nil, errUnsupported
}

// SetPrices is not supported.
func (Unsupported) SetPrices(context.Context, []PriceItem) ([]Result, error) {
	return nil, errUnsupported
}

// ReadStock is not supported.
func (Unsupported) ReadStock(context.Context, []Item) (map[string]int64, error) {
	return nil, errUnsupported
}

// PullOrders is not supported.
func (Unsupported) PullOrders(context.Context, Cursor) (OrderPage, error) {
	return OrderPage{}, errUnsupported
}

// PullOrder is not supported.
func (Unsupported) PullOrder(context.Context, string) (Order, error) { return Order{}, errUnsupported }

// PushShipment is not supported.
func (Unsupported) PushShipment(context.Context, OrderRef, Parcel) error { return errUnsupported }

// PushStatus is not supported.
func (Unsupported) PushStatus(context.Context, OrderRef, Status) error { return errUnsupported }

// PushCancel is not supported.
func (Unsupported) PushCancel(context.Context, OrderRef, string) error { return errUnsupported }

var _ Session = Unsupported{}
