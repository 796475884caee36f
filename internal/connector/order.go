package connector

import (
	"maps"
	"slices"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/orders"
)

// Status is the status of an order in the service.
type Status = orders.Status

// Cursor is the position of a pull of orders: changes since a time, from a page on.
type Cursor struct {
	Since time.Time `json:"since"`          // by the platform's clock
	Page  string    `json:"page,omitempty"` // defined by the session, "" for the first
}

// OrderPage is one page of a pull.
type OrderPage struct {
	Orders     []Order
	Unreadable []Unreadable
	Next       string    // the Cursor.Page of the next page, "" after the last
	Until      time.Time // on the last page: every change before this time, by the platform's clock, was on one of the pages
}

// Unreadable is an order that could not be understood. The pull continues without it.
type Unreadable struct{ ExternalID, Error string }

// Order is an order as the platform has it. Every amount is the platform's own, to the minor unit; none is computed
// from a rounded one. Total = Σ Lines.Amount − Discount + Shipping + Tax.
type Order struct {
	ExternalID string
	Number     string // shown to the buyer
	Status     Status // "" if the platform's status has no equivalent
	Theirs     string // the platform's own status
	Trails     bool   // the platform shows shipments only when the carrier has them, so an order that is ahead of it is no issue
	Undivided  bool   // the platform has no status for an order of which a part was shipped, and says that it is being processed
	Refunded   bool   // refunded wholly: RETURNED if it was shipped, else CANCELLED
	CreatedAt  time.Time
	UpdatedAt  time.Time // grows with every change; an equal time means no change
	Currency   string
	Name       string
	Email      string // "" if the platform gives none
	Phone      string
	Market     string // the marketplace of the account on which it was listed; "" for the channel's own, and where there is one
	Buyer      string // the platform's user name of the buyer, where notifications ask by it to erase a person; else ""
	ShipTo     *Place // nil for none
	BillTo     *Place
	Payment    map[string]any // free, for people; no secrets. A nil member is none: one that was stored before goes
	Note       string         // the buyer's
	Lines      []OrderLine
	Discount   money.Amount // not below 0
	Shipping   money.Amount // without tax
	Tax        money.Amount // all of it
	Total      money.Amount
	Refunds    []Refund
	Returns    []Return
	Parcels    []Parcel // shipped on the platform's side, where it knows parcels

	// Restocked is how many refunded units the platform has put back into its stock, by line: a count of all of them,
	// also of those that had not left. It is nil where the platform does not count them, or names Returns.
	Restocked map[string]int64

	ShippedAt time.Time        // when it was shipped, where the platform knows no parcels; zero: not, or unknown
	Sent      map[string]int64 // of an order that was shipped in part: pieces that have left, by line, which may be in no parcel above
}

// OrderLine is one line of an order.
type OrderLine struct {
	ExternalID string
	SKU        string // "" for a fee, and where the platform has none
	Item       IDs    // to find the SKU if the platform does not give it
	Name       string
	Quantity   int64
	Amount     money.Amount // of the whole line, before discount and without tax

	Fee bool // nothing to ship, such as a tip or gift wrapping

	Unclear string // why the platform's SKU does not say which product was sold; then SKU is ""

	Options map[string]any // what the buyer chose or entered for it, such as a text to engrave; nil for nothing
}

// Place is an address. Unknown parts are empty.
type Place struct {
	Name, Company, Line1, Line2, City, State, PostalCode string
	Country                                              string // ISO 3166-1 alpha-2
	Phone                                                string
}

// Refund is money paid back.
type Refund struct {
	ExternalID string
	Ours       string       // the id of the refund of the service that was pushed as this one; "" for none, or where it is not kept
	Amount     money.Amount // with tax, above 0
	Reason     string
	CreatedAt  time.Time
	Lines      []RefundLine
}

// clocksApart is how much earlier than the service a platform may date what it was told.
const clocksApart = 5 * time.Minute

// Echoes reports whether a platform's refund without a mark of the service may be one that was pushed to it: it has the
// same amount and is no older.
func (r Refund) Echoes(pushed Refund) bool {
	early := !r.CreatedAt.IsZero() && r.CreatedAt.Add(clocksApart).Before(pushed.CreatedAt)
	return r.Ours == "" && r.Amount == pushed.Amount && !early
}

// RefundLine is the refunded part of a line.
type RefundLine struct {
	ExternalLine string
	Quantity     int64
	Amount       money.Amount
}

// Return is units that came back to the platform after they had left. It is complete: nothing of it is awaited.
type Return struct {
	ExternalID string
	Refund     string // the ExternalID of its refund; "" for none
	Reason     string
	CreatedAt  time.Time
	Lines      []ReturnLine
}

// ReturnLine is the returned part of a line.
type ReturnLine struct {
	ExternalLine string
	Quantity     int64
	Restocked    bool // the platform has put the units into its stock; false also where it does not say
}

// OrderRef identifies an order for its platform.
type OrderRef struct {
	ExternalID string
	Number     string // the service's own, for notes that people read
	Currency   string
	Shipped    []Parcel // all parcels that were shipped here, oldest first
	Refunds    []string // the platform's ids of the refunds that are known here

	Packed map[string]int64 // how many of each line, by its ExternalLine, the platform packed itself, as far as is known here

	// Deleted reports whether a shipment had that tracking number here and was deleted or given another; nil: none was.
	Deleted func(number string) bool
	unsent  func(reason string)
}

// WithUnsent makes Unsent call a function.
func (r OrderRef) WithUnsent(note func(reason string)) OrderRef {
	r.unsent = note
	return r
}

// Unsent says why a part of a push cannot be shown on the platform, which keeps showing the old state; the rest is
// pushed.
func (r OrderRef) Unsent(reason string) {
	if r.unsent != nil {
		r.unsent(reason)
	}
}

// Replaces reports whether a parcel replaces a shipment that was deleted here, or had another number before, and that
// the platform still shows with its number (several: with one of them): both hold the same.
func (r OrderRef) Replaces(parcel Parcel, numbers []string, contents map[string]int64) bool {
	if r.Deleted == nil || parcel.Number == "" || len(parcel.Lines) == 0 {
		return false
	}
	for _, l := range parcel.Lines {
		contents[l.ExternalLine] -= l.Quantity
	}
	for _, n := range contents {
		if n != 0 {
			return false
		}
	}
	stands := func(number string) bool {
		return slices.ContainsFunc(r.Shipped, func(p Parcel) bool { return p.Number == number })
	}
	if len(numbers) == 0 {
		numbers = []string{""}
	}
	return !slices.ContainsFunc(numbers, stands) && slices.ContainsFunc(numbers, r.Deleted)
}

// Outdated reports whether a number is that of a shipment that was deleted here or given another, and no other
// shipment has it.
func (r OrderRef) Outdated(number string) bool {
	return number != "" && r.Deleted != nil && r.Deleted(number) &&
		!slices.ContainsFunc(r.Shipped, func(p Parcel) bool { return p.Number == number })
}

// ShippedThrough is how many units of each line, by its ExternalLine, are in the parcel of a key and those before it,
// and in those that the platform packed itself.
func (r OrderRef) ShippedThrough(key string) map[string]int64 {
	quantities := maps.Clone(r.Packed)
	if quantities == nil {
		quantities = map[string]int64{}
	}
	for _, p := range r.Shipped {
		for _, l := range p.Lines {
			quantities[l.ExternalLine] += l.Quantity
		}
		if p.Key == key {
			break
		}
	}
	return quantities
}

// SharesNumber reports whether another shipment has the tracking number of a parcel, as two in one box have. If the
// platform shows the number, it need not show the parcel.
func (r OrderRef) SharesNumber(parcel Parcel) bool {
	return slices.ContainsFunc(r.Shipped, func(p Parcel) bool { return p.Key != parcel.Key && p.Number == parcel.Number })
}

// Parcel is a shipment: lines that left together. Key is its permanent name, so that the platform shows it once.
type Parcel struct {
	Key       string
	Carrier   string
	Number    string
	URL       string
	ShippedAt time.Time
	Lines     []ParcelLine
	Rest      bool // it completes the order: nothing remains to be shipped
	Corrected bool // its tracking was changed after it was recorded: the platform may show other tracking
}

// ParcelLine is a line and its quantity in a parcel.
type ParcelLine struct {
	ExternalLine string
	SKU          string
	Quantity     int64
}
