// Package story runs every connector through one story, with a whole service and its platform's shop in memory:
// connection, notifications, products with variants, waves of stock and prices, orders that arrive in awkward ways,
// shipments, edits, cancellations and refunds, a token that expires, an outage of an hour, and a service that is
// interrupted in the middle of requests. In the end nothing is lost, nothing doubled, stock is equal on both sides and
// amounts are equal to the cent.
//
// A Shop lists what its platform cannot do; the requirements are the same for all.
package story

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// Ability is something that not every platform can do.
type Ability string

// The abilities.
const (
	Notifies   Ability = "notifies"             // it sends notifications by itself
	Unpaid     Ability = "unpaid orders"        // orders come before they are paid
	Discounts  Ability = "discounts"            // of a whole order
	Fees       Ability = "fees"                 // lines without a product, such as gift wrapping
	Edits      Ability = "edits"                // a merchant changes an order there before it is shipped
	Cancels    Ability = "cancellations there"  // a merchant or buyer cancels there
	Refunds    Ability = "refunds in part"      // money of one piece is given back there
	RefundsAll Ability = "refunds of the whole" // and of everything
	Pieces     Ability = "parcels by pieces"    // it knows what is in a parcel
	Tokens     Ability = "tokens that end"
)

// Shop is a platform's shop in memory. A func whose ability is in Cannot is nil.
type Shop struct {
	Platform    string // of its channels
	Handler     http.Handler
	Credentials map[string]any // beside the address
	Settings    map[string]any
	Topics      int                // that its connection test registers
	Cannot      map[Ability]string // why
	Identifiers bool               // what is sold must carry a number of the trade

	Clock   func(now func() time.Time)   // sets its clock
	Install func(address, secret string) // enters where notifications go; nil: they are registered
	Deliver func(ctx context.Context)    // sends notifications until ctx ends
	// what pictures of a SKU are, and how many it fetched or was sent, if it keeps them
	Images func(sku string) (shown []string, taken int)
	Stands func() (map[string]Shown, []string) // what is sold there, by SKU, and SKUs that stand twice
	Buy    func(Wish) (id string)              // places an order
	Order  func(id string) Order               // as the shop has it
	Pay    func(id string)                     // an unpaid order
	Edit   func(id string)                     // raises the quantity of the first line, or changes the address
	Cancel func(id string)                     // wholly
	Refund func(id string)                     // one piece of the first line
	Return func(id string)                     // all money of an order of which nothing was shipped
	Back   func(id string)                     // a piece of the first line that had left is back; nil: it is not said
	Excess func(id string)                     // more than an order costs is given back; nil: that is not possible
	Given  func(id string) int                 // how many refunds an order has; nil where none are taken from outside
	Expire func()                              // ends the access token
	Renews func(*http.Request) bool            // reports whether a request is for another one
	Faults func()                              // has requests and notifications go wrong; called before the first
}

// Shown is what buyers see of a SKU.
type Shown struct {
	Quantity int64
	Price    string // as "12.50"
	OnSale   bool
}

// Wish is what a buyer orders. Prices are those of the shop where it knows them.
type Wish struct {
	Lines    []Line
	Unpaid   bool
	Discount bool // some
	Fee      bool // some
	Email    string
}

// Line is a line of a wish. A SKU that the shop does not sell is one that it had once.
type Line struct {
	SKU      string
	Quantity int64
	Cents    int64 // of one
}

// Order is the state of an order in the shop.
type Order struct {
	Total     string   // with tax, as "12.50"
	Numbers   []string // of parcels, or texts to the buyer that name them
	Pieces    int64    // that have left, where it knows them
	Shipped   bool     // wholly
	Cancelled bool
}

// Service is a running service.
type Service interface {
	// Do sends a request; status 0 stands for no answer.
	Do(method, path string, body any) (status int, answer Document)
	// Restart interrupts the service at any point, and starts it again on its store.
	Restart()
	// Pass advances the service's clock.
	Pass(d time.Duration)
	// Now is the service's time.
	Now() time.Time
}

// Size is how much happens.
type Size struct {
	Products, Orders int
	Outage           time.Duration // of the platform, by the service's clock
	Failing          bool          // requests fail beside the outage, so that it may seem to come back
	Chapters         int           // after which the story ends; 0: all of them
}

// check fails the test if a shop neither implements an ability nor says why it cannot.
func (s *Shop) check(t *testing.T) {
	t.Helper()
	for ability, there := range map[Ability]bool{Notifies: s.Deliver != nil, Unpaid: s.Pay != nil, Edits: s.Edit != nil,
		Cancels: s.Cancel != nil, Refunds: s.Refund != nil, RefundsAll: s.Return != nil, Tokens: s.Expire != nil && s.Renews != nil} {
		if reason, cannot := s.Cannot[ability]; cannot == there || cannot && reason == "" {
			t.Errorf("%s: %s: it has the func: %t, why it cannot: %q", s.Platform, ability, there, reason)
		}
	}
	for ability, reason := range s.Cannot {
		t.Logf("%s cannot do %s: %s", s.Platform, ability, reason)
	}
}

func (s *Shop) can(a Ability) bool { _, cannot := s.Cannot[a]; return !cannot }
