package prestashop

import (
	"time"

	"entrepot/internal/connector"
)

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
