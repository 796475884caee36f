package dashboard

import (
	"entrepot/internal/exports"
	"entrepot/internal/orders"
)

// statusWords are how people call the statuses, with their tones.
var statusWords = map[orders.Status]badge{
	orders.Pending:          {"", "pending", "Pending"},
	orders.Processing:       {"warn", "processing", "Ready to ship"},
	orders.PartiallyShipped: {"info", "partially_shipped", "Partly shipped"},
	orders.Shipped:          {"info", "shipped", "Shipped"},
	orders.Delivered:        {"good", "delivered", "Delivered"},
	orders.Cancelled:        {"", "cancelled", "Cancelled"},
	orders.Returned:         {"odd", "returned", "Returned"},
}

// moveWords are the buttons that move an order to a status.
var moveWords = map[orders.Status]string{
	orders.Processing: "Release to ship", orders.Shipped: "Ship everything", orders.Delivered: "Mark delivered",
	orders.Cancelled: "Cancel order", orders.Returned: "Mark returned",
}

// movedWords are what a bulk move does to many orders.
var movedWords = map[orders.Status]string{
	orders.Processing: "Release to ship", orders.Shipped: "Ship", orders.Delivered: "Mark delivered", orders.Cancelled: "Cancel",
	orders.Returned: "Mark returned",
}

// movedFlash says what a person has just moved an order to.
func (r *request) movedFlash(o *orders.Order) string {
	number := orders.Number(o.Number)
	switch o.Status {
	case orders.Processing:
		return r.say("Released %s to ship", number)
	case orders.Shipped:
		return r.say("Shipped %s", number)
	case orders.Delivered:
		return r.say("Marked %s delivered", number)
	case orders.Cancelled:
		return r.say("Cancelled %s", number)
	case orders.Returned:
		return r.say("Marked %s returned", number)
	}
	return r.say("Changed %s to: %s", number, statusWords[o.Status].Word)
}

// whyNotMoved says why an order of a bulk move stayed as it was: a refused move in the words of the pages, any other
// reason as it is.
func whyNotMoved(message string) string {
	from, to, ok := orders.ParseRefusedMove(message)
	left := to == orders.Delivered || to == orders.Returned // only what was shipped comes to these
	switch {
	case !ok:
		return sentence(withStatuses(restated(message)))
	case from == orders.PartiallyShipped && left:
		return "Not all of it is shipped yet"
	case (from == orders.Pending || from == orders.Processing) && left:
		return "Not shipped yet"
	case from == orders.Pending && to == orders.Shipped:
		return "Still pending: release it to ship first"
	case from == orders.Processing:
		return "Already released to ship"
	}
	return alreadyWords[from]
}

// alreadyWords say of an order that it has a status already.
var alreadyWords = map[orders.Status]string{
	orders.Pending: "Already pending", orders.PartiallyShipped: "Already partly shipped", orders.Shipped: "Already shipped",
	orders.Delivered: "Already delivered", orders.Cancelled: "Already cancelled", orders.Returned: "Already returned",
}

// dotTone is the tone of a glyph without its badge.
func dotTone(b badge) string {
	if b.Tone == "" {
		return "idle"
	}
	return b.Tone
}

// orderName is how the buyer is called where space is short.
func orderName(o *orders.Order) string {
	switch {
	case o.CustomerName != "":
		return o.CustomerName
	case o.CustomerEmail != "":
		return o.CustomerEmail
	}
	return "Anonymous"
}

// foreignNumber is the number that the order has elsewhere, "" for none.
func foreignNumber(o *orders.Order) string {
	return exports.ForeignNumber(o)
}
