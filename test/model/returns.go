package model

// counts reports whether the units of a return cannot be in another one.
func (r *Return) counts() bool { return r.Status != "rejected" }

// in is how many units of a line are in the returns that which selects.
func (o *Order) in(line string, which func(*Return) bool) (n int64) {
	for i := range o.Returns {
		if which(&o.Returns[i]) {
			n += o.Returns[i].Holds[line]
		}
	}
	return n
}

// Announce models POST returns.
func (o *Order) Announce(asked map[string]int64, restock bool) Outcome {
	if o.Status == "RETURNED" {
		return Outcome{Status: 409}
	}
	for _, line := range o.Lines {
		if asked[line.ID] > line.Shipped-o.in(line.ID, (*Return).counts) {
			return Outcome{Status: 400}
		}
	}
	o.Returns = append(o.Returns, Return{Status: "requested", Restock: restock, Holds: asked})
	return Outcome{201, []string{"order.updated"}}
}

// MoveReturn models PATCH of the return at a position; amount is what is refunded.
func (o *Order) MoveReturn(at int, to string, amount int64, levels Levels) Outcome {
	r := &o.Returns[at]
	switch {
	case r.Status == to:
		return Outcome{Status: 200} // nothing changes
	case r.Status == "requested" && to == "received":
		o.shelve(r, 1, levels)
		r.Status = to
		events := []string{"order.updated"}
		if (o.Status == "SHIPPED" || o.Status == "DELIVERED") && o.allBack() {
			events = append(events, o.Move("RETURNED", false, levels).Events...)
		}
		return Outcome{200, events}
	case to == "rejected" && (r.Status == "requested" || r.Status == "received"):
		if r.Status == "received" {
			o.shelve(r, -1, levels)
		}
		r.Status = to
		return Outcome{200, []string{"order.updated"}}
	case r.Status == "received" && to == "refunded":
		if amount > o.Total()-o.Paid {
			return Outcome{Status: 400}
		}
		r.Status = to
		for i := range o.Lines {
			o.Lines[i].Named += r.Holds[o.Lines[i].ID]
		}
		return Outcome{200, append([]string{"order.updated"}, o.paid(amount, levels)...)}
	}
	return Outcome{Status: 409}
}

// shelve puts the units of a return on hand, or takes them off.
func (o *Order) shelve(r *Return, sign int64, levels Levels) {
	for _, line := range o.Lines {
		if r.Restock {
			levels[line.SKU].OnHand += sign * r.Holds[line.ID]
		}
	}
}

// allBack reports whether something was shipped and all of it was received.
func (o *Order) allBack() bool {
	shipped := int64(0)
	for _, line := range o.Lines {
		if line.Shipped > o.in(line.ID, (*Return).back) {
			return false
		}
		shipped += line.Shipped
	}
	return shipped > 0
}

// Refund models POST refunds of an amount for some units, by line id.
func (o *Order) Refund(amount int64, units map[string]int64, levels Levels) Outcome {
	for _, line := range o.Lines {
		if units[line.ID] > line.Quantity-line.Named {
			return Outcome{Status: 400}
		}
	}
	if amount > o.Total()-o.Paid {
		return Outcome{Status: 400}
	}
	open := o.Status == "PENDING" || o.Status == "PROCESSING" || o.Status == "PARTIALLY_SHIPPED"
	for i := range o.Lines {
		line := &o.Lines[i]
		gone := min(units[line.ID], line.Remaining())
		line.Named += units[line.ID]
		line.Refunded += gone
		if open {
			levels[line.SKU].Reserved -= gone
		}
	}
	return Outcome{201, append([]string{"order.updated"}, o.paid(amount, levels)...)}
}

// paid adds a refund, and moves the order as it demands: wholly refunded, or with nothing left to ship.
func (o *Order) paid(amount int64, levels Levels) []string {
	o.Paid, o.Refunds = o.Paid+amount, o.Refunds+1
	remains := int64(0)
	for _, line := range o.Lines {
		remains += line.Remaining()
	}
	switch wholly := o.Paid >= o.Total(); {
	case wholly && (o.Status == "SHIPPED" || o.Status == "DELIVERED"):
		return o.Move("RETURNED", false, levels).Events
	case wholly && (o.Status == "PENDING" || o.Status == "PROCESSING" || o.Status == "PARTIALLY_SHIPPED"):
		return o.Move("CANCELLED", false, levels).Events
	case o.Status == "PARTIALLY_SHIPPED" && remains == 0:
		return o.Move("SHIPPED", false, levels).Events
	}
	return nil
}
