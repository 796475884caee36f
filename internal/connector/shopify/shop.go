package shopify

import (
	"context"
	"strconv"
	"strings"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// shop is what is known of the shop in a session's life.
type shop struct {
	location     string   // where stock is kept
	currency     string   // of its prices
	publications []string // sales channels of the shop on which products appear
}

type shopAnswer struct {
	Shop struct {
		Name, MyshopifyDomain, URL, CurrencyCode, IanaTimezone string
		TaxesIncluded                                          bool
	}
	CurrentAppInstallation struct{ AccessScopes []struct{ Handle string } }
	Locations              struct{ Nodes []location }
	Publications           struct{ Nodes []struct{ ID, Name string } }
}

// currencyFact is the fact with the shop's currency.
const currencyFact = "currency"

// priceIn is a price with no more decimals than a currency has.
func priceIn(currency string, p money.Amount) string { return p.Round(money.Digits(currency)).String() }

// location is a place where the shop has stock.
type location struct {
	ID, Name             string
	IsActive             bool
	FulfillsOnlineOrders bool // what is in stock there is sold by sales channels
}

// number is the location's own part of its id: they are numbered as they are opened.
func (l location) number() (text string, n int64) {
	text = l.ID[strings.LastIndexByte(l.ID, '/')+1:]
	n, _ = strconv.ParseInt(text, 10, 64)
	return text, n
}

// choose sets the location of stock: the setting's, else the oldest active one that ships online orders, else the
// oldest active one. The shop lists them by name, so a new one may be the first: stock that moved there would also
// stay at the old one.
func (s *session) choose(a shopAnswer) {
	s.shop = &shop{currency: a.Shop.CurrencyCode}
	s.link.Facts.Keep(currencyFact, a.Shop.CurrencyCode)
	wanted := s.link.Channel.Value("locationId")
	var chosen *location
	for i := range a.Locations.Nodes {
		l := &a.Locations.Nodes[i]
		own, number := l.number()
		if !l.IsActive || wanted != "" && wanted != l.ID && wanted != own {
			continue
		}
		if chosen != nil {
			_, oldest := chosen.number()
			if chosen.FulfillsOnlineOrders != l.FulfillsOnlineOrders && chosen.FulfillsOnlineOrders ||
				chosen.FulfillsOnlineOrders == l.FulfillsOnlineOrders && oldest <= number {
				continue
			}
		}
		chosen = l
	}
	if chosen != nil {
		s.shop.location = chosen.ID
	}
	for _, p := range a.Publications.Nodes {
		s.shop.publications = append(s.shop.publications, p.ID)
	}
}

// soldBeside warns of other locations from which the shop sells, whose stock is its merchant's; "" if there are none,
// or a setting has chosen among them.
func (s *session) soldBeside(locations []location) string {
	var here string
	var others []string
	for _, l := range locations {
		switch {
		case l.ID == s.shop.location:
			here = l.Name
		case l.IsActive && l.FulfillsOnlineOrders:
			others = append(others, l.Name)
		}
	}
	if len(others) == 0 || s.link.Channel.Value("locationId") != "" {
		return ""
	}
	return connector.Line("stock is kept at the location " + here + ", and what the shop has at " + strings.Join(others, ", ") +
		" is sold beside it: count that stock in the shop alone, or set it to nothing there; the setting locationId names another location, " +
		"and ends this warning")
}

// readShop reads the shop once in the session's life.
func (s *session) readShop(ctx context.Context) (*shop, error) {
	if s.shop == nil {
		var a shopAnswer
		if _, err := s.call(reading(ctx), queryShop, nil, &a); err != nil {
			return nil, err
		}
		if s.choose(a); s.shop.location == "" {
			s.shop = nil
			return nil, connector.Failf(connector.Rejected, "the shop has no active location to keep stock at")
		}
	}
	return s.shop, nil
}
