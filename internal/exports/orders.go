package exports

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/workbook"
	"entrepot/internal/orders"
)

// OrderColumns are the columns of orders.
var OrderColumns = []string{"orderNumber", "externalReference", "status", "createdAt", "channel", "customerName", "customerEmail",
	"country", "lines", "units", "shippedUnits", "subtotal", "discountAmount", "shippingAmount", "taxAmount", "total", "currency", "carrier",
	"trackingNumber", "tags", "assignedTo"}

// Order are the cells of an order, one for each of OrderColumns; names are those of users.
func Order(o *orders.Summary, names map[id.User]string) []workbook.Value {
	text := workbook.Text
	amount := func(a money.Amount) workbook.Value { return workbook.Amount(a.Text(o.Currency)) }
	return []workbook.Value{text(orders.Number(o.Number)), text(ForeignNumber(&o.Order)), text(string(o.Status)),
		workbook.Moment(time.UnixMicro(o.CreatedAt)), text(o.ChannelName), text(o.CustomerName), text(o.CustomerEmail),
		text(orders.Country(o.ShippingAddress)), count(o.ItemCount), count(o.Units.Ordered), count(o.Units.Shipped), amount(o.Subtotal),
		amount(o.DiscountAmount), amount(o.ShippingAmount), amount(o.Tax()), amount(o.Order.Total), text(o.Currency),
		text(o.TrackingCarrier), text(o.TrackingNumber), text(strings.Join(o.Tags, ", ")),
		text(cmp.Or(names[o.AssignedTo], string(o.AssignedTo)))}
}

// ForeignNumber is the number by which the buyer and the shop know an order, "" if there is none.
func ForeignNumber(o *orders.Order) string {
	return cmp.Or(o.ExternalNumber, o.ExternalReference, o.PlatformID)
}

func count(n int64) workbook.Value { return workbook.Count(strconv.FormatInt(n, 10)) }
