// Package orders holds orders, their lines, shipments and history (interface §2.1 to §2.4, §3.1, §4.1).
//
//	status.go    which status may follow which: a table
//	totals.go    what an order costs: pure
//	ship.go      what shipping and undoing it change: pure
//	table.go     the columns, each named once; store.go  insert, lock, save
//	email.go     the e-mail addresses by which lists find orders
//	list.go      filters, sorts, pages; figures.go keeps counts and sums, from which figures_read.go has totals without counting rows
//	tags.go      tags and assigned users, and how lists find orders by them
//	columns.go   what lists filter and sort by, of very many orders in memory
package orders

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
)

// Given are fields of an order that stay as given at its creation and that no rule reads.
type Given struct {
	ExternalReference string
	PaymentMetadata   string // free JSON, "" for none
	Notes             string
	Tags              []string // at most 50, no two the same in any case
}

// Order is one order with everything that a single read shows.
type Order struct {
	Given
	ID                id.Order
	Number            int64
	Status            Status
	Channel           id.Channel // "" for none
	Customer          id.Customer
	CustomerName      string
	CustomerEmail     string
	EmailOfCustomer   bool     // the customer has this address, and searches by it go by the customer; written at creation, never read
	PlatformID        string   // the platform's id of a platform's order, "" for all others
	Reopens           id.Order // the cancelled order that its platform took up again as this one, "" for none
	ReopenedBy        id.Order // the order as which its platform took this one up again, "" for none
	Generation        int64    // how many orders it has reopened, one after the other
	PlatformBuyer     string   // the platform's name of the buyer, "" where it needs none; written at creation, never read
	ExternalNumber    string   // the number that the buyer sees there
	PlatformStatus    string   // the platform's latest status, in the platform's words
	SentStatus        Status   // the status that the platform was sent last, as long as it has no other one: the same status in its answer is no change
	PlatformUpdatedAt int64    // by the platform's clock, of the newest version that was applied; 0: unknown
	Currency          string
	ShippingAddress   string // free JSON with the normalised keys added, "" for none
	BillingAddress    string // free JSON as given
	Totals
	TrackingCarrier string
	TrackingNumber  string
	TrackingURL     string
	ShippedNotified bool // order.shipped was emitted
	RefundedAmount  money.Amount
	AssignedTo      id.User // who sees to the order, and may be deleted by now; "" for nobody
	Sync            Sync
	Lines           []Line
	CreatedAt       int64 // as given, for imported history
	RecordedAt      int64 // when it was stored; written at creation, never read
	UpdatedAt       int64

	// Read with the order from other tables.
	ItemCount       int64
	ChannelName     string
	ChannelPlatform string
	CustomerPhone   string
	History         []Entry
	Shipments       []Shipment
	Refunds         []Refund
	Returns         []Return
	Issues          []Issue
}

// Line is one line of an order.
type Line struct {
	ID          id.Line
	Product     id.Product // "": no product has the SKU, or the line is a fee
	Variant     id.Variant
	SKU         string
	Name        string
	Description string
	Metadata    string // free JSON, "" for none
	Quantity    int64
	Shipped     int64
	Refunded    int64 // refunded before it was shipped: it will not be shipped
	Reserved    int64 // of the open quantity, the part that its stock level holds for it
	UnitPrice   money.Amount
	Total       money.Amount
	Warehouse   string // where it is reserved and from where it ships
	ExternalID  string // the platform's id of the line, "" for none
	Fee         bool   // nothing that could be packed, such as a tip
}

// Remaining returns the quantity that is still to be shipped; of a fee nothing is.
func (l Line) Remaining() int64 {
	if l.Fee {
		return 0
	}
	return l.unshipped()
}

// unshipped returns the most that a caller may still ship: clients that name all lines of an order may name its fees,
// too.
func (l Line) unshipped() int64 { return l.Quantity - l.Shipped - l.Refunded }

// Waits reports whether the line may still be linked to a product: no product has its SKU yet and nothing of it was shipped.
func (l Line) Waits() bool { return l.Product == "" && l.SKU != "" && l.Shipped == 0 }

// Source says what changed an order's status.
type Source string

// The sources.
const (
	FromAPI       Source = "api"
	FromDashboard Source = "dashboard"
	FromChannel   Source = "channel"
	FromShipment  Source = "shipment"
	FromSystem    Source = "system"
)

// Entry is one step of an order's history, creation included.
type Entry struct {
	ID       id.History // the order's own id for its creation
	Previous Status     // "" at creation
	Status   Status
	Note     string
	Source   Source
	Actor    string
	At       int64
}

// Shipment is a parcel: lines and quantities that were sent together.
type Shipment struct {
	ID             id.Shipment
	Carrier        string
	TrackingNumber string
	TrackingURL    string
	ShippedAt      int64
	Notes          string
	Automatic      bool   // made by a status change, not from a caller's list
	ExternalID     string // the platform's id, for a parcel packed there
	CreatedAt      int64
	Lines          []ShipmentLine
}

// ShipmentLine is an order line and its quantity in a shipment.
type ShipmentLine struct {
	ID       string
	Line     id.Line
	Quantity int64
}

// Shown returns a time in microseconds, cut to the milliseconds that answers show. Orders are created at such times, so
// that lists put those with the same createdAt in the order of their ids (interface §4.1).
func Shown(at int64) int64 { return at - at%1000 }

// Number formats an order number for people.
func Number(n int64) string { return fmt.Sprintf("ORD-%06d", n) }

// ParseNumber reads an order number as Number writes it, in any case and with any number of zeros.
func ParseNumber(text string) (int64, bool) {
	digits, is := strings.CutPrefix(strings.ToUpper(strings.TrimSpace(text)), "ORD-")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, is && err == nil && n > 0
}

// ExternalID returns the caller's reference, else the platform's id, else "".
func (o *Order) ExternalID() string {
	if o.ExternalReference != "" {
		return o.ExternalReference
	}
	return o.PlatformID
}

// Line finds a line by its id; nil if the order does not have it.
func (o *Order) Line(line id.Line) *Line {
	for i := range o.Lines {
		if o.Lines[i].ID == line {
			return &o.Lines[i]
		}
	}
	return nil
}

// AnyShipped reports whether anything of the order was shipped.
func (o *Order) AnyShipped() bool {
	return len(o.Shipments) > 0 || slices.ContainsFunc(o.Lines, func(l Line) bool { return l.Shipped > 0 })
}

// Empty reports whether nothing is left to ship: it was shipped or taken back.
func (o *Order) Empty() bool {
	return !slices.ContainsFunc(o.Lines, func(l Line) bool { return l.Remaining() > 0 })
}

// Reserve sets the quantity that each line's stock level must hold: what is not shipped while the order is open, else
// nothing. A line without a product has no level.
func (o *Order) Reserve() {
	for i := range o.Lines {
		o.Lines[i].Reserved = 0
		if o.Status.open() && o.Lines[i].Product != "" {
			o.Lines[i].Reserved = o.Lines[i].Remaining()
		}
	}
}
