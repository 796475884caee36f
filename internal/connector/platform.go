package connector

import (
	"context"
	"time"
)

// Platform is a Connector that also calls its platform: it pushes products, stock, prices and statuses of orders, and
// pulls orders (interface §1, §6.3). It is safe for concurrent use and has no state of a channel.
type Platform interface {
	Connector

	// Capabilities says what the platform can do, and its limits.
	Capabilities() Capabilities

	// Open opens a session for one channel. It sends no request.
	Open(Link) Session
}

// Link is what a session gets for its channel.
type Link struct {
	Channel Channel // with decrypted credentials, as they were when the session was opened
	Client  *Client // sends requests within limits, and bounds addresses, bytes and times
	Tokens  Tokens  // renews access tokens
	Facts   Facts   // small facts stored for this shop
	Now     func() time.Time
}

// TimeOf is the platform's time in an answer, or the service's if the answer has none.
func (l Link) TimeOf(answer *Response) time.Time {
	if at := answer.Date(); !at.IsZero() {
		return at
	}
	return l.Now()
}

// Capabilities says what a platform can do. Anything else is skipped and shown as skipped; that is no error.
type Capabilities struct {
	Products bool     // Upsert and Unpublish
	Stock    bool     // SetStock and ReadStock
	Prices   bool     // SetPrices
	Orders   bool     // PullOrders and PullOrder
	Webhooks bool     // EnsureWebhooks and RemoveWebhooks
	Topics   []string // what EnsureWebhooks registers, by the platform's names
	Async    bool     // results of Upsert, SetStock or SetPrices may be Waiting, for Poll
	// it may take products off sale later, and the session is a Watcher or a Looker: all products are checked once a
	// day
	Watched bool

	PartialShipments bool // it can show a shipment of a part of an order
	Tracking         bool // PushShipment
	Statuses         []Status
	NoRefunds        string // why refunds that are recorded here are not pushed, for people; "" where the session is a Refunder

	Batch  Batch
	Limits []Limit
	Time   Timing
}

// Batch limits the entries of one call of the session; 0 means 1.
type Batch struct {
	Products, Stock, Prices int
	Orders                  int // of an OrderReader and an AheadReader
	Notified                int // orders that one run reads because notifications named them; 0: all that the run was given
}

// Timing describes the platform's clock and lists.
type Timing struct {
	Overlap time.Duration // how far a pull of orders starts before the end of the previous one
	Tail    time.Duration // how far lists of orders may be behind: a pull may miss that time, and the next one reads it again
	Every   time.Duration // least time between two scheduled pulls, and before a push; 0: the channel's setting
	Poll    time.Duration // until the results of the platform's operations are requested again; 0 for a minute
}

// Limit is a bucket of requests: Burst at once, then one each Every. Requests with a context of Within use the bucket
// of that name, all others the one named "".
type Limit struct {
	Name   string
	Every  time.Duration
	Burst  int
	AtOnce int // requests under way at a time; 0 for no bound
}

// Session is one channel's platform. One goroutine at a time uses it. Every error is a *Failure, or the context's.
//
// Every write may be called again with the same arguments after its answer was lost: if the platform would apply a
// repetition twice, the session first checks whether the write has happened.
type Session interface {
	// Test tests that the credentials may read and write, and changes nothing that a customer would see. Missing
	// rights are in Shop.Missing; an error means that the test could not be made.
	Test(ctx context.Context) (Shop, error)

	// EnsureWebhooks makes the platform send notifications about orders and products to target: existing
	// registrations are found by address and topic and enabled again, never doubled. It returns all enabled topics;
	// with an error those that are.
	EnsureWebhooks(ctx context.Context, target WebhookTarget) ([]Webhook, error)
	// RemoveWebhooks deletes what EnsureWebhooks created for that target.
	RemoveWebhooks(ctx context.Context, target WebhookTarget) error

	// Upsert puts products on sale, or changes them, at most Batch.Products of them. A SKU that exists on the platform
	// is adopted. It returns a result for every SKU of every product, the product's own first. An incomplete product
	// does not stay on sale.
	Upsert(ctx context.Context, products []Product) ([]Result, error)
	// Unpublish takes products off sale: it hides or deletes them. One that is not there is a success.
	Unpublish(ctx context.Context, items []Item, remove bool) ([]Result, error)
	// Poll requests the results of operations that were Waiting; each result names its Operation. A result without SKU
	// applies to all SKUs of its operation without one of their own; an operation without any result is still Waiting.
	// Results may be returned with an error. Reviews are polled in the same way: Failed then says why the platform
	// keeps the previous version.
	Poll(ctx context.Context, operations []string) ([]Result, error)

	// SetStock sets the quantities that the platform shows, none of which is negative; SetPrices sets prices. At most
	// Batch.Stock and Batch.Prices of them, with those of one product next to each other. The result of an item that
	// the platform does not have is Gone. If a call fails, the results so far are returned with the error, so that the
	// next try continues from there.
	SetStock(ctx context.Context, items []StockItem) ([]Result, error)
	SetPrices(ctx context.Context, items []PriceItem) ([]Result, error)
	// ReadStock returns the quantities that the platform shows, for items that it has, at most Batch.Stock of them.
	ReadStock(ctx context.Context, items []Item) (map[string]int64, error)

	// PullOrders returns a page of the orders that changed since cursor.Since, in any order and possibly more than
	// once. The last page says up to which time, by the platform's clock, nothing is missing.
	PullOrders(ctx context.Context, cursor Cursor) (OrderPage, error)
	// PullOrder returns one order. Failure Missing when the platform does not have it (yet).
	PullOrder(ctx context.Context, externalID string) (Order, error)

	// PushShipment shows a parcel on the platform, with carrier and tracking; PushStatus changes an order's status
	// there; PushCancel cancels it. They read first: if nothing has to change, that is a success without a write.
	// Failure Unsupported means that the platform cannot do it; Underway means that a write was accepted and is not
	// complete: the same call later returns the result.
	PushShipment(ctx context.Context, order OrderRef, parcel Parcel) error
	PushStatus(ctx context.Context, order OrderRef, to Status) error
	PushCancel(ctx context.Context, order OrderRef, reason string) error
}

// Refunder is a Session whose platform records refunds without moving money. PushRefund adds one to an order and returns
// the platform's id of it. It reads first: one that was pushed before and whose answer was lost is not added again.
type Refunder interface {
	PushRefund(ctx context.Context, order OrderRef, refund Refund) (externalID string, err error)
}

// LevelSetter is a Session whose platform takes stock and prices in one request: SetLevels then replaces SetStock and
// SetPrices. It returns one result for each SKU (Result.Rests for a price that is left out).
type LevelSetter interface {
	SetLevels(ctx context.Context, stocks []StockItem, prices []PriceItem) ([]Result, error)
}

// Watcher is a Session that notices, when it reads stock, which live SKUs its platform has taken off sale. OffSale
// gives the reasons for the SKUs that the last ReadStock read, "" for one that is on sale.
type Watcher interface {
	OffSale() map[string]string
}

// Looker is a Session that needs extra requests for what a Watcher notices. Look gives the reasons for the SKUs that
// it could read, "" for one that is on sale.
type Looker interface {
	Look(ctx context.Context, items []Item) (map[string]string, error)
}

// OrderReader is a Session whose platform returns several orders by their ids in one request, at most Batch.Orders of
// them. Missing ones are left out; there is only one page.
type OrderReader interface {
	ReadOrders(ctx context.Context, externalIDs []string) (OrderPage, error)
}

// OrderFinder is a Session whose platform lets its merchant delete orders for good without a notification. Vanished
// returns those of some orders that the platform no longer has.
type OrderFinder interface {
	Vanished(ctx context.Context, externalIDs []string) ([]string, error)
}

// AheadReader is a Session that reads orders which are about to be pushed with few requests, at most Batch.Orders of
// them: each following push begins with the order read here. A further call forgets the orders of the last. An order
// that is missing or cannot be read this way is read by its push, as without AheadReader.
type AheadReader interface {
	ReadAhead(ctx context.Context, externalIDs []string) error
}

// Detailer is a Session whose lists leave out a part of an order that takes a request of its own: Detail reads it. It
// is called for orders that changed. An order that a later pull lists again costs no further request, and a failure
// at one order undoes none of those before it.
type Detailer interface {
	Detail(ctx context.Context, order *Order) error
}

// Collector is a Session that collects some writes, which it answers with Underway, and sends them together: Send is
// called after everything was pushed. The next run collects again what was not sent.
type Collector interface {
	Send(ctx context.Context) error
}

// Shop is what a test learnt about the shop.
type Shop struct {
	Name             string
	Account          string // the platform's id of the account, by which its notifications name it; "" where they do not
	URL              string
	Version          string
	Currency         string   // ISO 4217
	Timezone         string   // IANA name, or an offset as "+02:00"
	PricesIncludeTax *bool    // nil when the platform does not say
	Missing          []string // rights without which the channel does not work
	Lacking          []string // rights without which some things do not work, and what does not
	Notes            []string // what else a merchant should know of how the channel works
}

// WebhookTarget is the address for a platform's notifications, and the secret that signs them.
type WebhookTarget struct{ URL, Secret string }

// Webhook is one registration on the platform.
type Webhook struct {
	Topic  string // the platform's name
	Status string // "active", else the platform's word
}

// Tokens renews access tokens.
type Tokens interface {
	// Renew replaces credentials: one caller at a time for a channel, among all nodes. stale is the value of the field
	// name that the caller found refused or expired: if the stored value differs from it, another caller has renewed
	// it, and the stored credentials are returned without calling renew. The result of renew is stored before Renew
	// returns it, so that a rotated refresh token is never lost. Fields that renew does not return stay. A Failure
	// Unauthorized of renew makes the channel needs_reauth.
	Renew(ctx context.Context, name, stale string, renew func(context.Context, Credentials) (Credentials, error)) (Credentials, error)
}

// Facts stores small facts that a session learnt about its shop, such as the authentication that works. They may be
// lost at any time. Names and values are short texts without personal data or secrets; an empty value deletes the
// fact.
type Facts interface {
	Fact(name string) string
	Keep(name, value string)
}

// Unsupported answers every call of a session with Failure Unsupported. A session embeds it and implements what its
// platform can do.
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
