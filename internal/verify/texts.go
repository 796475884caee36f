package verify

import (
	"encoding/json"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// owners checks that somebody may manage the account. An account that was created without users, as in tests, has
// nobody.
func owners(c *account) error {
	var made, active int64
	err := c.Row(`SELECT (SELECT count(*) FROM audit_log WHERE tenant_id = $1 AND action = 'user.created'),
		(SELECT count(*) FROM users WHERE tenant_id = $1 AND role = $2 AND status = $3)`,
		[]any{c.Tenant, accounts.Owner, accounts.Active}, &made, &active)
	if c.look(); err == nil && made > 0 && active == 0 {
		c.wrong("no user is an active owner")
	}
	return err
}

// refunds compares the refunded amounts of orders and lines with the refunds.
func refunds(c *account) error {
	err := c.each(`SELECT o.number, o.refunded_amount,
		(SELECT coalesce(sum(r.amount), 0)::BIGINT FROM order_refunds r WHERE r.tenant_id = $1 AND r.order_id = o.id)
		FROM orders o WHERE o.tenant_id = $1`, nil, func(r db.Rows) error {
		var number int64
		var kept, sum money.Amount
		err := r.Scan(&number, &kept, &sum)
		if kept != sum {
			c.wrong("%s has refundedAmount %s, its refunds are %s", orders.Number(number), kept, sum)
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.each(`SELECT o.number, l.sku, l.refunded, (SELECT coalesce(sum(r.quantity), 0)::BIGINT FROM order_refund_lines r
			WHERE r.tenant_id = $1 AND r.order_id = l.order_id AND r.line_id = l.id)
		FROM order_lines l JOIN orders o ON o.tenant_id = $1 AND o.id = l.order_id
		WHERE l.tenant_id = $1 AND l.refunded > 0`, nil, func(r db.Rows) error {
		var number, kept, sum int64
		var sku string
		err := r.Scan(&number, &sku, &kept, &sum)
		if kept > sum {
			c.wrong("%s has %d refunded of %s, its refunds name %d", orders.Number(number), kept, sku, sum)
		}
		return err
	})
}

// returns compares the returns of orders with what was shipped, with the ledger, and with the refunds.
func returns(c *account) error {
	err := c.each(`SELECT o.number, l.sku, l.shipped, (SELECT coalesce(sum(x.quantity), 0)::BIGINT FROM order_return_lines x
			JOIN order_returns r ON r.tenant_id = $1 AND r.order_id = x.order_id AND r.id = x.return_id AND r.status <> 'rejected'
			WHERE x.tenant_id = $1 AND x.order_id = u.order_id AND x.line_id = u.line_id)
		FROM order_return_lines u JOIN order_lines l ON l.tenant_id = $1 AND l.order_id = u.order_id AND l.id = u.line_id
		JOIN orders o ON o.tenant_id = $1 AND o.id = u.order_id WHERE u.tenant_id = $1`, nil, func(r db.Rows) error {
		var number, shipped, back int64
		var sku string
		err := r.Scan(&number, &sku, &shipped, &back)
		if back > shipped {
			c.wrong("%s has %d of %s in returns, %d were shipped", orders.Number(number), back, sku, shipped)
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.each(`SELECT o.number, r.status, coalesce(r.refund_id::TEXT, ''), coalesce(f.id::TEXT, ''),
			(SELECT coalesce(sum(u.quantity), 0)::BIGINT FROM order_return_lines u JOIN order_lines l ON l.tenant_id = $1 AND
				l.order_id = u.order_id AND l.id = u.line_id
				WHERE u.tenant_id = $1 AND u.order_id = r.order_id AND u.return_id = r.id AND u.restock = TRUE AND l.product_id IS NOT NULL),
			(SELECT coalesce(sum(m.delta), 0)::BIGINT FROM movements m WHERE m.tenant_id = $1 AND m.reference_id = CAST(r.id AS TEXT)
				AND m.reference_type IN ('order', 'shipment', 'return'))
		FROM order_returns r JOIN orders o ON o.tenant_id = $1 AND o.id = r.order_id
		LEFT JOIN order_refunds f ON f.tenant_id = $1 AND f.order_id = r.order_id AND f.id = r.refund_id
		WHERE r.tenant_id = $1`, nil, func(r db.Rows) error {
		var number, restock, moved int64
		var status orders.ReturnStatus
		var named, refund string
		err := r.Scan(&number, &status, &named, &refund, &restock, &moved)
		if status != orders.ReturnReceived && status != orders.ReturnRefunded {
			restock = 0
		}
		if moved != restock {
			c.wrong("a %s return of %s has put %d on hand, it should be %d", status, orders.Number(number), moved, restock)
		}
		if (status == orders.ReturnRefunded) != (refund != "") || named != refund {
			c.wrong("a %s return of %s names the refund %q, which is %q", status, orders.Number(number), named, refund)
		}
		return err
	})
}

// jsonColumns are the columns that hold JSON, by table, with the column that names a row.
var jsonColumns = []struct{ table, name, columns string }{
	{"orders", "number", "shipping_address billing_address payment_metadata"},
	{"order_lines", "id", "metadata"},
	{"customers", "id", "metadata"},
	{"warehouses", "code", "address"},
	{"products", "sku", "attributes"},
	{"variants", "sku", "attributes"},
	{"channels", "name", "settings"},
}

// objects checks that columns of JSON hold JSON, and an object where they must.
func objects(c *account) error {
	for _, t := range jsonColumns {
		for _, column := range strings.Fields(t.columns) {
			any := column == "payment_metadata" // the only column where callers may store any JSON value
			err := c.each("SELECT "+t.name+"::TEXT, "+column+" FROM "+t.table+" WHERE tenant_id = $1 AND "+column+" <> ''", nil,
				func(r db.Rows) error {
					var name, text string
					err := r.Scan(&name, &text)
					if !json.Valid([]byte(text)) || !any && !strings.HasPrefix(text, "{") {
						c.wrong("%s of %s %s is not the JSON that it was: %.80s", column, t.table, name, text)
					}
					return err
				})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// payloads compares the payloads of the event log with their checksums, and with the other columns of the events.
func payloads(c *account) error {
	return c.each("SELECT id, event, payload, coalesce(checksum, -1) FROM events "+
		"WHERE tenant_id = $1 AND endpoint_id IS NULL ORDER BY stamp", nil,
		func(r db.Rows) error {
			var event, name, payload string
			var sum int64
			err := r.Scan(&event, &name, &payload, &sum)
			if sum != db.Checksum(payload) || !strings.HasPrefix(payload, `{"id":"`+event+`","event":"`+name+`",`) {
				c.wrong("the payload of the event %s, %s, was changed", event, name)
			}
			return err
		})
}

// answers compares stored answers with their checksums.
func answers(c *account) error {
	return c.each("SELECT key, space, answer, checksum FROM idempotency_keys WHERE tenant_id = $1 AND checksum IS NOT NULL", nil,
		func(r db.Rows) error {
			var key, space, answer string
			var sum int64
			err := r.Scan(&key, &space, &answer, &sum)
			if sum != db.Checksum(answer) {
				c.wrong("the kept answer of the key %q to %s was changed", key, space)
			}
			return err
		})
}
