package shopify

import (
	"errors"
	"strconv"
)

// size is how much a query for orders asks for: orders, lines of each, and parcels and refunds of each.
type size struct{ orders, lines, few int }

// sizes are tried in this order. The shop decides how many points a query may cost, and what an object costs: after a
// refusal the next size is used, in later sessions too.
var sizes = []size{{25, 10, 4}, {12, 10, 4}, {6, 10, 3}, {3, 10, 3}, {1, 10, 3}, {1, leastLines, 1}}

// sizeFact is the fact with the index of the last accepted size.
const sizeFact = "orders"

// size is the size to start with.
func (s *session) size() size { return sizes[s.sizeAt()] }

func (s *session) sizeAt() int {
	at, err := strconv.Atoi(s.link.Facts.Fact(sizeFact))
	if err != nil || at < 0 || at >= len(sizes) {
		return 0
	}
	return at
}

// inSize makes a query in the largest size that the shop accepts.
func (s *session) inSize(query func(size) error) error {
	for at := s.sizeAt(); ; at++ {
		err := query(sizes[at])
		if !errors.Is(err, errTooDear) || at == len(sizes)-1 {
			return err
		}
		s.link.Facts.Keep(sizeFact, strconv.Itoa(at+1))
	}
}

// vars adds the bounds of the lists inside an order to variables.
func (z size) vars(v vars) vars {
	v["lines"], v["parts"], v["few"] = z.lines, z.lines, z.few
	return v
}

// incomplete reports whether an order that was asked for in a size may have more than its answer: a list inside it is
// full.
func (o *order) incomplete(z size) bool {
	if o.LineItems.PageInfo.HasNextPage || len(o.Fulfillments) >= z.few || len(o.Refunds) >= z.few {
		return true
	}
	for _, f := range o.Fulfillments {
		if len(f.FulfillmentLineItems.Nodes) >= z.lines {
			return true
		}
	}
	for _, r := range o.Refunds {
		if len(r.RefundLineItems.Nodes) >= z.lines {
			return true
		}
	}
	return false
}
