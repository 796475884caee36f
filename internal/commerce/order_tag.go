package commerce

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

// OrderTagging adds tags to orders, removes others, and assigns the orders to a user. A tag that is added and removed is
// removed.
type OrderTagging struct {
	Add, Remove []string
	AssignedTo  patch.Field[id.User] // null: to nobody
}

// IsEmpty reports whether the tagging changes nothing.
func (t OrderTagging) IsEmpty() bool { return len(t.Add)+len(t.Remove) == 0 && !t.AssignedTo.Set }

// TagError says why an order was not tagged.
type TagError struct {
	Index int // in the request, from 0
	Order id.Order
	Error string
	Code  string
}

// TagOrders changes the tags and the assigned user of several orders, and emits order.updated for each that changes
// (interface §4.1). An order that is unknown or would have too many tags changes nothing and is among the errors; n
// counts the others. Errors: NotFound for an unknown user.
func (s *Service) TagOrders(tx *db.Tx, who accounts.Caller, list []id.Order, t OrderTagging) (n int, failed []TagError, err error) {
	if t.AssignedTo.Given() {
		if _, err := accounts.UserByID(tx, t.AssignedTo.Value); err != nil {
			return 0, nil, err
		}
	}
	at := make(map[id.Order]int, len(list))
	for i, order := range slices.Backward(list) {
		at[order] = i
	}
	// All are locked before the first is written, which takes the clock: whoever holds one of the others may wait for it.
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	if _, err := orders.LockSome(tx, list); err != nil {
		return 0, nil, err
	}
	for _, order := range list {
		var refused *apperr.Error
		switch err := s.TagOrder(tx, who, order, t); {
		case err == nil:
			n++
		case errors.As(err, &refused) && refused.Kind != apperr.Unavailable:
			failed = append(failed, TagError{at[order], order, refused.Message, refused.Code})
		default:
			return 0, nil, err
		}
	}
	slices.SortFunc(failed, func(a, b TagError) int { return cmp.Compare(a.Index, b.Index) })
	return n, failed, nil
}

// TagOrder changes the tags and the assigned user of one order. Errors: NotFound for the order and the user; Invalid if the
// order would have too many tags.
func (s *Service) TagOrder(tx *db.Tx, who accounts.Caller, order id.Order, t OrderTagging) error {
	o, err := orders.Lock(tx, order)
	if err != nil {
		return err
	}
	tags := orders.Retag(o.Tags, t.Add, t.Remove)
	if len(tags) > limits.MaxOrderTags {
		return apperr.New(apperr.Invalid, "too_many_tags", "the order would have %d tags, %d is the most", len(tags), limits.MaxOrderTags)
	}
	_, err = s.updateOrder(tx, who, o, OrderUpdate{Tags: patch.To(tags), AssignedTo: t.AssignedTo})
	return err
}

// TagManyOrders queues a job that tags and assigns orders one by one, each in its own transaction, and reports the
// outcome of each. Errors: Invalid without orders or with more than MaxBulkOrders; NotFound for an unknown user.
func (s *Service) TagManyOrders(tx *db.Tx, who accounts.Caller, t OrderTagging, list []jobs.Order) (jobs.Job, error) {
	if t.AssignedTo.Given() {
		if _, err := accounts.UserByID(tx, t.AssignedTo.Value); err != nil {
			return jobs.Job{}, err
		}
	}
	return s.insertBulk(tx, who, bulkInput{Tagging: &bulkTagging{t.Add, t.Remove, t.AssignedTo.Set, t.AssignedTo.Value}}, list)
}

// bulkTagging is an OrderTagging in the input of a job.
type bulkTagging struct {
	Add    []string `json:"add,omitempty"`
	Remove []string `json:"remove,omitempty"`
	Assign bool     `json:"assign,omitempty"`
	To     id.User  `json:"to,omitempty"` // "" for nobody
}

func (t *bulkTagging) tagging() OrderTagging {
	return OrderTagging{t.Add, t.Remove, patch.Field[id.User]{Set: t.Assign, Null: t.To == "", Value: t.To}}
}

// BulkTags reports whether a bulk job changes the tags and the assigned user of its orders.
func BulkTags(job jobs.Job) bool {
	var in bulkInput
	_ = json.Unmarshal([]byte(job.Input), &in)
	return in.Tagging != nil
}

// assign assigns a locked order to a user, or with null to nobody. An order stays assigned to a user who was deleted,
// so that it may be sent back as it was read. Errors: NotFound for another unknown user.
func assign(tx *db.Tx, o *orders.Order, to patch.Field[id.User]) error {
	if to.Given() && to.Value != o.AssignedTo {
		if _, err := accounts.UserByID(tx, to.Value); err != nil {
			return err
		}
	}
	to.Apply(&o.AssignedTo)
	return nil
}
