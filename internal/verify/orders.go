package verify

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

func openLines(c *account) error {
	return c.each(`SELECT o.number, o.status, l.sku, CASE WHEN l.product_id IS NULL THEN 0 ELSE l.quantity - l.shipped - l.refunded END,
		l.reserved FROM orders o JOIN order_lines l ON l.tenant_id = $1 AND l.order_id = o.id
		WHERE o.tenant_id = $1`, nil, func(r db.Rows) error {
		var number, remaining, reserved int64
		var status orders.Status
		var sku string
		err := r.Scan(&number, &status, &sku, &remaining, &reserved)
		want := int64(0)
		if slices.Contains([]orders.Status{orders.Pending, orders.Processing, orders.PartiallyShipped}, status) {
			want = remaining
		}
		if reserved != want {
			c.wrong("%s is %s; of %s it holds %d instead of %d", orders.Number(number), status, sku, reserved, want)
		}
		return err
	})
}

func shippedLines(c *account) error {
	return c.each(`SELECT o.number, l.sku, l.shipped, (SELECT coalesce(sum(s.quantity), 0)::BIGINT FROM shipment_lines s
			WHERE s.tenant_id = $1 AND s.order_id = l.order_id AND s.line_id = l.id)
		FROM orders o JOIN order_lines l ON l.tenant_id = $1 AND l.order_id = o.id WHERE o.tenant_id = $1`, nil, func(r db.Rows) error {
		var number, shipped, sent int64
		var sku string
		err := r.Scan(&number, &sku, &shipped, &sent)
		if shipped != sent {
			c.wrong("%s: %d of %s are shipped, its shipments contain %d", orders.Number(number), shipped, sku, sent)
		}
		return err
	})
}

// orderStatus accepts orders created with a later status: RETURNED and PARTIALLY_SHIPPED may have shipped nothing.
func orderStatus(c *account) error {
	return c.each(`SELECT o.number, o.status, o.initial_status,
			(SELECT coalesce(sum(l.quantity - l.refunded), 0)::BIGINT FROM order_lines l WHERE l.tenant_id = $1 AND l.order_id = o.id),
			(SELECT coalesce(sum(l.shipped), 0)::BIGINT FROM order_lines l WHERE l.tenant_id = $1 AND l.order_id = o.id), o.refunded_amount
		FROM orders o WHERE o.tenant_id = $1`, nil, func(r db.Rows) error {
		var number, ordered, shipped, refunded int64
		var status, initial orders.Status
		err := r.Scan(&number, &status, &initial, &ordered, &shipped, &refunded)
		fits := true
		switch status {
		case orders.Pending, orders.Processing:
			fits = shipped == 0
		case orders.PartiallyShipped:
			fits = shipped < ordered && (shipped > 0 || initial == orders.PartiallyShipped)
		case orders.Shipped, orders.Delivered:
			fits = shipped == ordered
		case orders.Cancelled:
			fits = shipped < ordered || refunded > 0
		case orders.Returned:
			fits = shipped == ordered || shipped == 0 && initial == orders.Returned || refunded > 0
		}
		if !fits {
			c.wrong("%s is %s with %d of %d shipped", orders.Number(number), status, shipped, ordered)
		}
		return err
	})
}

// orderTotals prices each order again by the rule that priced it. A platform's order has the platform's amounts: they
// must add up, unless an issue says that they did not.
func orderTotals(c *account) error {
	var o, priced orders.Order
	settle := func() {
		if o.ID == "" {
			return
		}
		c.look()
		if o.PlatformID != "" {
			if !o.AddsUp() && len(o.Issues) == 0 {
				c.wrong("%s has a total of %s, to which its amounts do not add up", orders.Number(o.Number), o.Total)
			}
			return
		}
		priced.Lines = slices.Clone(o.Lines)
		for i := range priced.Lines {
			priced.Lines[i].Total = 0 // AddUp computes it
		}
		err := priced.AddUp(o.TaxAmount) // unrounded: orders of older versions have amounts finer than their currency
		same := err == nil && priced.Subtotal == o.Subtotal && priced.Total == o.Total && int64(len(o.Lines)) == o.ItemCount
		for i := range o.Lines {
			same = same && priced.Lines[i].Total == o.Lines[i].Total
		}
		if !same {
			c.wrong("%s has a total of %s on %s of goods in %d lines; by its %d lines it is %s on %s", orders.Number(o.Number), o.Total, o.Subtotal,
				o.ItemCount,
				len(o.Lines), priced.Total, priced.Subtotal)
		}
	}
	err := c.Each(func(r db.Rows) error {
		var row orders.Order
		var l orders.Line
		var differs bool
		err := r.Scan(&row.ID, &row.Number, &row.Currency, &row.Subtotal, &row.ShippingAmount, &row.DiscountAmount, &row.TaxAmount, &row.Total,
			&row.ItemCount,
			db.Opt(&l.ID), db.Opt(&l.Quantity), db.Opt(&l.UnitPrice), db.Opt(&l.Total), db.Opt(&row.PlatformID), &differs)
		if differs {
			row.Issues = []orders.Issue{{Code: orders.AmountsDiffer}}
		}
		if row.ID != o.ID {
			settle()
			o, priced = row, orders.Order{Currency: row.Currency}
			priced.ShippingAmount, priced.DiscountAmount = row.ShippingAmount, row.DiscountAmount
		}
		if l.ID != "" {
			o.Lines = append(o.Lines, l)
		}
		return err
	}, `SELECT o.id, o.number, o.currency, o.subtotal, o.shipping_amount, o.discount_amount, o.tax_amount, o.total, o.item_count, l.id,
		l.quantity, l.unit_price, l.line_total, o.platform_id,
			EXISTS (SELECT 1 FROM order_issues i WHERE i.tenant_id = $1 AND i.order_id = o.id AND i.code = 'amounts_differ')
		FROM orders o LEFT JOIN order_lines l ON l.tenant_id = $1 AND l.order_id = o.id WHERE o.tenant_id = $1 ORDER BY o.id`, c.Tenant)
	settle()
	return err
}

// orderCountries compares the countries by which lists find orders with their addresses, and the maintained counts of countries with these.
func orderCountries(c *account) error {
	counted := map[string]int64{}
	err := c.each("SELECT number, shipping_address, country, status, channel_id FROM orders WHERE tenant_id = $1", nil, func(r db.Rows) error {
		var o orders.Order
		var found string
		err := r.Scan(&o.Number, db.Opt(&o.ShippingAddress), db.Opt(&found), &o.Status, db.Opt(&o.Channel))
		if found != "" {
			counted[o.CountedIn(found)]++
		}
		if named := orders.Country(o.ShippingAddress); named != found {
			c.derived(func(tx *db.Tx) error { return orders.RepairCountry(tx, o.Number) },
				"%s goes to %q, lists find it in %q", orders.Number(o.Number), named, found)
		}
		return err
	})
	if err != nil {
		return err
	}
	kept, err := db.Tallies[string](c.Tx, orders.ToCountry)
	for key := range kept {
		counted[key] += 0
	}
	for key, n := range counted {
		c.look()
		if n != kept[key] {
			c.derived(func(tx *db.Tx) error {
				tx.Tally(orders.ToCountry, key, n-kept[key])
				return nil
			}, "orders %s: %d, kept as %d", key, n, kept[key])
		}
	}
	return err
}

func orderEmails(c *account) error {
	return c.each(`SELECT o.number, o.customer_email, coalesce(o.email_key, p.email_key), p.status FROM orders o
		LEFT JOIN customers p ON p.tenant_id = $1 AND p.id = o.customer_id AND o.customer_email IS NOT NULL
		WHERE o.tenant_id = $1`, nil, func(r db.Rows) error {
		var number int64
		var email, found string
		var status customers.Status
		err := r.Scan(&number, db.Opt(&email), db.Opt(&found), db.Opt(&status))
		if orders.EmailKey(email) != found && status != customers.Erased { // an erasure in steps comes to its orders last
			c.derived(func(tx *db.Tx) error {
				orders.SaveEmailKey(tx, number, email)
				return nil
			}, "%s has the e-mail address %q, lists find it by %q", orders.Number(number), email, found)
		}
		return err
	})
}

// byShipment are the status changes that shipments cause, beside those that a caller may request (interface §3.1).
var byShipment = map[orders.Status][]orders.Status{
	orders.Processing:       {orders.PartiallyShipped, orders.Shipped},
	orders.PartiallyShipped: {orders.Processing, orders.Shipped},
	orders.Shipped:          {orders.Processing, orders.PartiallyShipped},
}

func orderHistory(c *account) error {
	var number int64
	var at, status orders.Status // the status reached so far, and the order's
	settle := func() {
		if at != status {
			c.wrong("%s is %s, its history ends at %s", orders.Number(number), status, at)
		}
	}
	err := c.Each(func(r db.Rows) error {
		var n int64
		var initial, now, previous, next orders.Status
		var source orders.Source
		if err := r.Scan(&n, &initial, &now, db.Opt(&previous), db.Opt(&next), db.Opt(&source)); err != nil {
			return err
		}
		if n != number {
			settle()
			c.look()
			number, at, status = n, initial, now
		}
		switch {
		case next == "":
		case previous != at:
			c.wrong("%s went from %s to %s while it was %s", orders.Number(n), previous, next, at)
			at = next
		default:
			if source != orders.FromChannel && previous.May(next) != nil && !slices.Contains(byShipment[previous], next) {
				c.wrong("%s went from %s to %s, which is not allowed", orders.Number(n), previous, next)
			}
			at = next
		}
		return nil
	}, `SELECT o.number, o.initial_status, o.status, h.previous_status, h.status, h.source FROM orders o
		LEFT JOIN order_history h ON h.tenant_id = $1 AND h.order_id = o.id
		WHERE o.tenant_id = $1 ORDER BY o.number, h.created_at, h.id`, c.Tenant)
	settle()
	return err
}

func orderNumbers(c *account) error {
	return c.each(`SELECT n.next, (SELECT coalesce(max(number), 0) FROM orders WHERE tenant_id = $1) FROM order_numbers n
		WHERE n.tenant_id = $1`, nil, func(r db.Rows) error {
		var next, last int64
		err := r.Scan(&next, &last)
		if next <= last {
			c.wrong("the next number is %d, and there is %s", next, orders.Number(last))
		}
		return err
	})
}

func shipments(c *account) error {
	return c.each(`SELECT l.shipment_id, l.order_id, s.id, o.id
		FROM shipment_lines l LEFT JOIN shipments s ON s.tenant_id = $1 AND s.order_id = l.order_id AND s.id = l.shipment_id
		LEFT JOIN orders o ON o.tenant_id = $1 AND o.id = l.order_id WHERE l.tenant_id = $1
		UNION ALL SELECT s.id, s.order_id, s.id, o.id FROM shipments s LEFT JOIN orders o ON o.tenant_id = $1 AND o.id = s.order_id
		WHERE s.tenant_id = $1`, nil, func(r db.Rows) error {
		var shipment, order, here, of string
		err := r.Scan(&shipment, &order, db.Opt(&here), db.Opt(&of))
		switch {
		case here == "":
			c.wrong("a line of shipment %s, which is not there", shipment)
		case of == "":
			c.wrong("shipment %s is of order %s, which is not there", shipment, order)
		}
		return err
	})
}

// reopenedOrders checks the links between orders of one platform id. While a channel is being deleted, one of both may be gone already.
func reopenedOrders(c *account) error {
	return c.each(`SELECT o.number, o.reopens, o.reopened_by, o.status, a.id, b.id,
			CASE WHEN a.reopened_by = o.id AND a.channel_id = o.channel_id AND a.platform_id = o.platform_id THEN TRUE ELSE FALSE END,
			CASE WHEN b.reopens = o.id AND b.channel_id = o.channel_id AND b.platform_id = o.platform_id THEN TRUE ELSE FALSE END, u.subject
		FROM orders o LEFT JOIN orders a ON a.tenant_id = $1 AND a.id = o.reopens LEFT JOIN orders b ON b.tenant_id = $1 AND b.id = o.reopened_by
		LEFT JOIN jobs u ON u.tenant_id = $1 AND u.type = '`+string(jobs.ChannelDeletion)+`' AND u.subject = o.channel_id
		WHERE o.tenant_id = $1 AND (o.reopens IS NOT NULL OR o.reopened_by IS NOT NULL)`, nil, func(r db.Rows) error {
		var number int64
		var reopens, by, cancelled, newer, deletion string
		var status orders.Status
		var back, forth bool
		err := r.Scan(&number, db.Opt(&reopens), db.Opt(&by), &status, db.Opt(&cancelled), db.Opt(&newer), &back, &forth, db.Opt(&deletion))
		switch {
		case by != "" && status != orders.Cancelled:
			c.wrong("%s is %s although order %s reopened it", orders.Number(number), status, by)
		case reopens != "" && !back && (cancelled != "" || deletion == ""):
			c.wrong("%s reopens order %s, which does not name it", orders.Number(number), reopens)
		case by != "" && !forth && (newer != "" || deletion == ""):
			c.wrong("%s was reopened by order %s, which does not name it", orders.Number(number), by)
		}
		return err
	})
}

func orderChannels(c *account) error {
	// Each table is counted by itself: a GROUP BY over all of them would sort a row for every order in memory.
	const there = `LEFT JOIN channels c ON c.tenant_id = $1 AND c.id = x.channel_id
			LEFT JOIN jobs u ON u.tenant_id = $1 AND u.type = '` + string(jobs.ChannelDeletion) + `' AND u.subject = x.channel_id`
	return c.each(`SELECT 'orders' AS what, count(*), count(coalesce(c.id, u.subject)) FROM orders x `+there+`
			WHERE x.tenant_id = $1 AND x.channel_id IS NOT NULL
		UNION ALL SELECT 'publications', count(*), count(coalesce(c.id, u.subject)) FROM publications x `+there+`
			WHERE x.tenant_id = $1
		UNION ALL SELECT 'jobs that are due', count(*), count(c.id) FROM jobs x
			LEFT JOIN channels c ON c.tenant_id = $1 AND c.id = x.channel_id
			WHERE x.tenant_id = $1 AND x.channel_id IS NOT NULL AND x.due_at IS NOT NULL`, nil, func(r db.Rows) error {
		var what string
		var all, there int64
		err := r.Scan(&what, &all, &there)
		if all != there {
			c.wrong("%d %s of channels that are not there", all-there, what)
		}
		return err
	})
}

// customerTotals reads customers and orders side by side, by customer.
func customerTotals(c *account) error {
	var here string // the customer whose orders follow
	var kept, found struct{ orders, spent int64 }
	settle := func() {
		if kept != found {
			of, orders, spent := id.Customer(here), found.orders-kept.orders, found.spent-kept.spent
			c.derived(func(tx *db.Tx) error {
				customers.Spend(tx, of, orders, money.Amount(spent))
				return nil
			}, "customer %s has %d orders for %s, kept as %d for %s", here, found.orders, money.Amount(found.spent), kept.orders,
				money.Amount(kept.spent))
		}
	}
	err := c.Each(func(r db.Rows) error {
		var customer string
		var number, count, spent int64
		if err := r.Scan(&customer, &number, &count, &spent); err != nil {
			return err
		}
		switch {
		case number == 0:
			settle()
			c.look()
			here, kept.orders, kept.spent = customer, count, spent
			found.orders, found.spent = 0, 0
		case customer != here:
			c.wrong("%s is of customer %s, who is not there", orders.Number(number), customer)
		default:
			found.orders++
			found.spent += spent
		}
		return nil
	}, `SELECT id AS customer, 0::BIGINT AS number, orders_count, total_spent FROM customers WHERE tenant_id = $1
		UNION ALL SELECT customer_id, number, 1, CASE WHEN status = 'CANCELLED' THEN 0 ELSE total END FROM orders
			WHERE tenant_id = $1 AND customer_id IS NOT NULL ORDER BY customer, number`, c.Tenant)
	settle()
	return err
}

func idempotency(c *account) error {
	return c.each(`SELECT i.key, i.resource_id, o.id FROM idempotency_keys i
		LEFT JOIN orders o ON o.tenant_id = $1 AND o.id = i.resource_id::UUID
		WHERE i.tenant_id = $1 AND i.space = 'POST /api/v1/orders' AND i.resource_id <> ''`, nil, func(r db.Rows) error {
		var key, resource, order string
		err := r.Scan(&key, &resource, db.Opt(&order))
		if order == "" {
			c.wrong("the key %q has the answer of order %s, which is not there", key, resource)
		}
		return err
	})
}
