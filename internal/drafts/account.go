package drafts

import (
	"strings"

	"entrepot/internal/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
	"entrepot/internal/money"
)

// ReadAccountChange reads a change of the account (interface §4.5.10).
func ReadAccountChange(o *apijson.Object) (change commerce.AccountChange) {
	o.Record("UpdateAccount")
	name := o.Text("name", apijson.Text{Filled: true, Max: limits.MaxName})
	currency := o.Text("currency", apijson.Text{Max: 3})
	o.Describe("currency", apijson.Like(currencyCode))
	change.Name, change.Currency = name.Value, strings.ToUpper(currency.Value)
	if currency.Set && !o.HasError("currency") && !money.KnownCurrency(change.Currency) {
		o.AddError("currency", "must be an ISO 4217 code such as EUR")
	}
	strict := o.Bool("strictWarehouses")
	notNull(o, "strictWarehouses", strict)
	change.StrictWarehouses = strict.Ptr()
	if zone := readZone(o, true); zone != nil {
		change.TimeZone = *zone
	}
	change.Locale = readLocale(o)
	o.NotNull("name", "currency", "timeZone")
	return change
}
