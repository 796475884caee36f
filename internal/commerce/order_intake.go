package commerce

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/idempotency"
	"entrepot/internal/imports"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// Orders of an account that come at the same moment are stored together: one transaction reads what all of them need,
// decides on one after the other, and writes their rows. So a thousand callers cost little more than a few, and none
// waits for a group to fill (db.Gather).

// OrderIntake is an order as a caller hands it in.
type OrderIntake struct {
	Draft  OrderDraft
	Who    accounts.Caller
	Author db.Author // of the order's events

	Key         idempotency.Ref // the caller's Idempotency-Key and its space; the zero Ref for none
	Fingerprint string          // of the caller's request

	Answer func(*orders.Order) idempotency.Answer // the caller's answer, stored under the key; nil for none

	Confirm bool      // the caller's credential must still be valid at the commit
	Import  id.Import // must still exist at the commit; "" for none
}

// Taken is the outcome for an order that was handed in.
type Taken struct {
	Order  *orders.Order
	Answer idempotency.Answer
	Before bool // the key is that of an earlier request: Answer is that request's answer, and there is no Order
}

// intake is an order on its way through a group.
type intake struct {
	OrderIntake
	taken    Taken
	err      error
	numbered *db.Pending[int64] // how many orders have its number
	// its key or its external reference is that of another order of the group: it is handed in again when that one is
	// stored
	again bool
}

// TakeOrder is CreateOrder in a transaction that it shares with the orders of other callers. Errors: those of
// CreateOrder but orders.ErrNumberTaken; Unauthorized if the caller's credential is to be confirmed; NotFound without
// the import.
func (s *Service) TakeOrder(ctx context.Context, store *db.DB, in OrderIntake) (out Taken, err error) {
	ctx = context.WithoutCancel(ctx) // others wait for it
	tenant := in.Who.Tenant
	err = s.NumberOrder(ctx, store, tenant, func(number int64) error {
		in.Draft.Number = number
		for {
			own := &intake{OrderIntake: in}
			if err := s.intake.Do(tenant, own, func(group []*intake) { s.takeOrders(ctx, store, tenant, group) }); err != nil {
				return err
			}
			if !own.again {
				out = own.taken
				return own.err
			}
		}
	})
	return out, err
}

// triesTogether is how often a group runs before each of its orders is stored alone: one of them may lose every race.
const triesTogether = 3

var errApart = errors.New("commerce: the orders of a group are to be stored one by one")

// takeOrders stores a group of orders. If one of them makes the transaction fail, each gets a transaction of its own.
func (s *Service) takeOrders(ctx context.Context, store *db.DB, tenant id.Tenant, group []*intake) {
	err := store.WriteSerially(ctx, tenant, len(group), func(tx *db.Tx) error {
		if len(group) > 1 && tx.Try() >= triesTogether {
			return errApart
		}
		return storeOrders(tx, group)
	})
	switch {
	case err == nil:
	case len(group) == 1 || apperr.Is(err, apperr.Unavailable):
		for _, t := range group {
			t.again, t.taken, t.err = false, Taken{}, err
		}
	default:
		for _, t := range group {
			s.takeOrders(ctx, store, tenant, []*intake{t})
		}
	}
}

// storeOrders creates orders of one account in a transaction and stores each one's outcome in it; its error is one of
// the transaction.
func storeOrders(tx *db.Tx, group []*intake) error {
	c := counter{tx: tx, keys: map[idempotency.Ref]bool{}, references: map[string]bool{}}
	for _, t := range group {
		t.taken, t.err, t.again, t.numbered = Taken{}, nil, false, nil
		t.Draft.Lines = slices.Clone(t.Draft.Lines) // the transaction may run again
	}
	c.read(group)
	levels, err := c.levels.Wait()
	if err != nil {
		return err
	}
	c.plan = stock.NewShiftPlan(levels)
	for _, t := range group {
		switch err := c.decide(t); {
		case err == nil:
		case refuses(err):
			t.err = err
		default:
			return err
		}
	}
	return c.store()
}

// refuses reports whether an error refuses one order and leaves the others alone.
func refuses(err error) bool {
	f, ok := apperr.As(err)
	return ok && f.Kind != apperr.Unavailable || errors.Is(err, orders.ErrNumberTaken)
}

// counter takes the orders of one transaction.
type counter struct {
	tx *db.Tx

	answers    map[string]*db.Pending[idempotency.Answers] // by the space of the keys
	taken      *db.Pending[map[string]id.Order]            // the orders of external references
	channel    *db.Pending[channels.Ref]                   // of orders that name none
	named      *db.Pending[map[id.Channel]channels.Ref]
	sellable   *db.Pending[map[string]catalog.Sellable]
	buyers     *buyers
	levels     *db.Pending[stock.Levels]
	keys       map[idempotency.Ref]bool // of the orders so far
	references map[string]bool

	plan *stock.ShiftPlan // of the orders that only reserve, since its last storing

	accepted []*intake
	last     map[string]*intake // the last order that has a SKU
	events   []webhooks.Event   // of levels whose plan is stored
}

// read prefetches everything that the orders depend on, in one message.
func (c *counter) read(group []*intake) {
	var references, skus []string
	var named []id.Channel
	var people []orderPerson
	keys := map[string][]string{}
	for _, t := range group {
		if t.Key.Key != "" {
			keys[t.Key.Space] = append(keys[t.Key.Space], t.Key.Key)
		}
		if t.Draft.ExternalReference != "" {
			references = append(references, t.Draft.ExternalReference)
		}
		switch {
		case t.Draft.Channel == "" && c.channel == nil:
			c.channel = channels.PrefetchFirst(c.tx)
		case t.Draft.Channel != "" && !slices.Contains(named, t.Draft.Channel):
			named = append(named, t.Draft.Channel)
		}
		if c.tx.Try() > 0 { // a number is nearly always free
			t.numbered = orders.PrefetchNumberTaken(c.tx, t.Draft.Number)
		}
		people = append(people, orderPerson{t.Draft.CustomerID, t.Draft.CustomerEmail})
		skus = append(skus, skusOf(t.Draft.Lines)...)
	}
	slices.Sort(skus)
	skus = slices.Compact(skus)
	c.answers = map[string]*db.Pending[idempotency.Answers]{}
	for space, list := range keys {
		c.answers[space] = idempotency.PrefetchAnswers(c.tx, list, space)
	}
	c.taken = orders.PrefetchByReferences(c.tx, references)
	c.named = channels.PrefetchByRefs(c.tx, named)
	c.sellable = catalog.PrefetchResolve(c.tx, skus)
	c.buyers = readBuyers(c.tx, people)
	c.levels = stock.PrefetchLevels(c.tx, skus)
	c.last = map[string]*intake{}
}

// decide plans one order after those before it.
func (c *counter) decide(t *intake) error {
	if known, err := c.known(t); err != nil || known {
		return err
	}
	channel, err := c.channelOf(t.Draft.Channel)
	if err != nil {
		return err
	}
	o := t.Draft.order(c.tx.Micros(), channel)
	if err := resolveLines(c.sellable, t.Draft.Lines, nil); err != nil {
		return err
	}
	for _, d := range t.Draft.Lines {
		o.Lines = append(o.Lines, d.Line())
	}
	if err := o.Price(t.Draft.TaxAmount); err != nil {
		return err
	}
	if err := o.RefundBefore(t.Draft.RefundedAmount); err != nil {
		return err
	}
	link, err := c.buyers.find(o, t.Draft.CustomerID)
	if err != nil {
		return err
	}
	sent := o.Status == orders.Shipped || o.Status == orders.Delivered
	if sent { // so that shipped quantities are correct; no event is emitted
		o.Status = orders.Processing
		o.ShipRest(orders.ShipmentDraft{}, o.RecordedAt)
		o.Status, o.ShippedNotified = t.Draft.Status, true
	}
	o.Reserve()
	if sent {
		c.storePlan("", "") // its own movements name the order
	}
	shifts, chosen := lineShifts(nil, o)
	if err := c.plan.Choose(c.tx, shifts); err != nil {
		return err
	}
	if err := c.plan.Add(shifts, channel.Oversell == "reject"); err != nil {
		return err
	}
	placeLines(o, shifts, chosen)
	for _, l := range o.Lines {
		c.last[l.SKU] = t
	}
	if sent {
		c.storePlan(o.ID, t.Who.Actor())
	}
	o.History = []orders.Entry{{ID: id.History(o.ID), Status: o.Status, Source: t.Draft.Source, Actor: t.Who.Actor(), At: o.RecordedAt}}
	c.buyers.take(link, o, t.author())
	t.taken.Order = o
	c.accepted = append(c.accepted, t)
	c.keys[t.Key], c.references[t.Draft.ExternalReference] = true, true
	return nil
}

// known settles an order whose key or number was used before. Errors: Conflict for a taken external reference;
// orders.ErrNumberTaken.
func (c *counter) known(t *intake) (bool, error) {
	if t.Key.Key != "" {
		answers, err := c.answers[t.Key.Space].Wait()
		if err != nil {
			return false, err
		}
		if found := answers.Of(t.Key.Key); found != nil {
			t.taken = Taken{Answer: *found, Before: true}
			return true, nil
		}
	}
	reference := t.Draft.ExternalReference
	if t.again = t.Key.Key != "" && c.keys[t.Key] || reference != "" && c.references[reference]; t.again {
		return true, nil
	}
	if n, err := t.numbered.Wait(); err != nil || n > 0 {
		return false, cmp.Or(err, orders.ErrNumberTaken)
	}
	taken, err := c.taken.Wait()
	if err != nil {
		return false, err
	}
	if order := taken[reference]; reference != "" && order != "" {
		return false, apperr.New(apperr.Conflict, "duplicate_external_reference", "an order with the externalReference %s exists already",
			reference).With("orderId", order)
	}
	return false, nil
}

// channelOf is the channel of an id, or the one of orders that name none. Errors: NotFound.
func (c *counter) channelOf(channel id.Channel) (channels.Ref, error) {
	if channel == "" {
		return c.channel.Wait()
	}
	named, err := c.named.Wait()
	if err == nil && named[channel].ID == "" {
		err = channels.Missing()
	}
	return named[channel], err
}

// author is who causes the order's events, nil for the author of the transaction.
func (t *intake) author() *db.Author {
	if t.Author == (db.Author{}) {
		return nil
	}
	return &t.Author
}

// storePlan queues the changes of levels so far: of one order and its actor, or of several orders that move no goods.
func (c *counter) storePlan(order id.Order, actor string) {
	c.plan.Store(c.tx, stock.Why{Cause: stock.Shipment, ReferenceType: "order", ReferenceID: string(order), Actor: actor})
	for _, change := range c.plan.Changed() {
		for _, e := range stockEvents(c.tx, []stock.Change{change}, "shipment") {
			e.Author = c.last[change.SKU].author()
			c.events = append(c.events, e)
		}
	}
	c.plan = c.plan.Next()
}

// store queues the accepted orders and everything that belongs to them.
func (c *counter) store() error {
	if len(c.accepted) == 0 {
		return nil
	}
	c.storePlan("", "")
	c.keepChannels()
	events := c.buyers.store(c.tx)
	list := make([]*orders.Order, len(c.accepted))
	var answers []idempotency.Keyed
	for i, t := range c.accepted {
		o := t.taken.Order
		list[i] = o
		received := records.NewEvent(webhooks.OrderReceived, string(o.ID), func(w *apijson.Writer) { records.WriteOrderReceivedData(w, o) })
		received.Author = t.author()
		events = append(events, received)
		if t.Answer != nil {
			t.taken.Answer = t.Answer(o)
		}
		if t.Key.Key != "" {
			t.taken.Answer.Fingerprint = t.Fingerprint
			answers = append(answers, idempotency.Keyed{Ref: t.Key, Answer: t.taken.Answer})
		}
	}
	orders.Insert(c.tx, list...)
	c.require()
	webhooks.Record(c.tx, append(events, c.events...)...)
	idempotency.SaveAll(c.tx, answers)
	return nil
}

// require queues the checks that the credentials and the imports of the orders still exist at the commit.
func (c *counter) require() {
	confirmed, imported := map[string]bool{}, map[id.Import]bool{}
	for _, t := range c.accepted {
		if actor := t.Who.Actor(); t.Confirm && !confirmed[actor] {
			confirmed[actor] = true
			t.Who.Require(c.tx)
		}
		if t.Import != "" && !imported[t.Import] {
			imported[t.Import] = true
			imports.Require(c.tx, t.Import) // last: an erasure locks people and orders before imports
		}
	}
}

// keepChannels locks the orders' channels until the commit: a named one must exist then, another one is chosen for
// orders that name none.
func (c *counter) keepChannels() {
	named, chosen := map[id.Channel]bool{}, map[id.Channel]bool{}
	for _, t := range c.accepted {
		switch {
		case t.Draft.Channel != "":
			named[t.Draft.Channel] = true
		case t.taken.Order.Channel != "":
			chosen[t.taken.Order.Channel] = true
		}
	}
	for _, channel := range slices.Sorted(maps.Keys(named)) {
		channels.Keep(c.tx, channel)
	}
	for _, channel := range slices.Sorted(maps.Keys(chosen)) {
		if !named[channel] {
			channels.KeepChosen(c.tx, channel)
		}
	}
}
