package prestashop

import (
	"cmp"
	"context"
	"slices"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// refunds are an order's credit slips.
func refunds(f *shop, slips []*node, digits int, now time.Time) (list []connector.Refund) {
	for _, slip := range slips {
		amount := slip.sum(digits, "total_products_tax_incl", "total_shipping_tax_incl")
		if amount <= 0 { // written without its parts
			amount = slip.sum(digits, "amount", "shipping_cost_amount")
		}
		if amount <= 0 {
			continue
		}
		refund := connector.Refund{ExternalID: slip.get("id"), Amount: amount, CreatedAt: f.moment(slip.get("date_add"), now)}
		for _, d := range slip.at("associations", "order_slip_details").all("order_slip_detail") {
			refund.Lines = append(refund.Lines, connector.RefundLine{ExternalLine: d.get("id_order_detail"), Quantity: d.int("product_quantity"),
				Amount: d.sum(digits, "amount_tax_incl")})
		}
		list = append(list, refund)
	}
	return list
}

// restocked is how many units of each line the shop has put back into its stock with refunds; nil for none.
func restocked(details []*node) (units map[string]int64) {
	for _, d := range details {
		if n := d.int("product_quantity_reinjected"); n > 0 {
			if units == nil {
				units = map[string]int64{}
			}
			units[d.get("id")] = n
		}
	}
	return units
}

// PushRefund writes a credit slip over an amount, which moves neither money nor stock nor the order's state. A slip has
// no place for a mark: one of the same amount that is not known here is the one whose answer was lost. The share of the
// tax is that of the whole order.
func (s *session) PushRefund(ctx context.Context, order connector.OrderRef, refund connector.Refund) (string, error) {
	f, err := s.withStates(ctx)
	if err != nil {
		return "", err
	}
	slips, err := s.list(ctx, "order_slip", "order_slip", full().any("id_order", order.ExternalID))
	if err != nil {
		return "", slipsRefused(err, "View (GET)")
	}
	digits := money.Digits(order.Currency)
	for _, known := range refunds(f, slips, digits, s.link.Now()) {
		if !slices.Contains(order.Refunds, known.ExternalID) && known.Echoes(refund) {
			return known.ExternalID, nil
		}
	}
	o, err := s.readOrder(ctx, order.ExternalID)
	if err != nil {
		return "", err
	}
	sum := connector.Sums{Digits: digits}
	net := o.sum(digits, "total_paid_tax_excl")
	parts := sum.Spread(refund.Amount, []money.Amount{net, o.sum(digits, "total_paid_tax_incl") - net})
	made, err := s.create(ctx, "order_slip", "order_slip", value("id_customer", o.get("id_customer")), value("id_order", order.ExternalID),
		value("conversion_rate", cmp.Or(o.get("conversion_rate"), "1")), price("total_products_tax_excl", parts[0]),
		price("total_products_tax_incl", refund.Amount), value("total_shipping_tax_excl", "0"), value("total_shipping_tax_incl", "0"),
		price("amount", refund.Amount), value("shipping_cost", "0"), value("shipping_cost_amount", "0"), value("partial", "1"),
		value("order_slip_type", "0"))
	if err == nil && made.get("id") == "" {
		err = connector.Failf(connector.Temporary, "the shop did not say which credit slip it made")
	}
	return made.get("id"), slipsRefused(err, "Add (POST)")
}

// slipsRefused is an error of a call for credit slips; a right that is missing keeps nothing else of the order back.
func slipsRefused(err error, right string) error {
	if connector.Is(err, connector.Forbidden) {
		return connector.Failf(connector.Cannot, "the key lacks %s on order_slip", right)
	}
	return err
}
