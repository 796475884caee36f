package commerce

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// CloseIssues closes the issues that keep an order from following its platform, because a person has dealt with them.
// The same ones are not opened again. Errors: NotFound.
func (s *Service) CloseIssues(tx *db.Tx, order id.Order) (*orders.Order, error) {
	o, err := orders.Lock(tx, order)
	if err != nil {
		return nil, err
	}
	before := copyOf(o)
	if orders.CloseStuck(tx, o) {
		touch(tx, o)
		orders.SaveDetails(tx, before, o)
	}
	return o, nil
}
