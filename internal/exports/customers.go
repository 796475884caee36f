package exports

import (
	"cmp"
	"strings"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/base/workbook"
	"entrepot/internal/customers"
)

// CustomerColumns are the columns of customers; the address is the first one.
var CustomerColumns = []string{"email", "firstName", "lastName", "phone", "company", "siret", "vatIntracomNumber", "status", "tags", "line1",
	"line2", "postalCode", "city", "state", "country", "ordersCount", "totalSpent", "createdAt", "updatedAt", "id"}

// Customer are the cells of a customer; currency is the account's.
func Customer(c *customers.Customer, currency string) []workbook.Value {
	text := workbook.Text
	var at customers.Address
	if len(c.Addresses) > 0 {
		at = c.Addresses[0]
	}
	return []workbook.Value{text(c.Email), text(c.FirstName), text(c.LastName), text(c.Phone), text(c.Company), text(c.Siret), text(c.VAT),
		text(string(c.Status)), text(strings.Join(c.Tags, ", ")), text(at.Line1), text(at.Line2), text(at.Zip), text(at.City), text(at.State),
		text(cmp.Or(at.Country, c.OrderCountry.Code)), count(c.OrdersCount), spent(c.TotalSpent, currency),
		workbook.Moment(time.UnixMicro(c.CreatedAt)), workbook.Moment(time.UnixMicro(c.UpdatedAt)), text(string(c.ID))}
}

func spent(a money.Amount, currency string) workbook.Value { return workbook.Amount(a.Text(currency)) }
