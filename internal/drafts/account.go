package drafts

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
)

// ReadAccountChange reads a change of the account (interface §4.5.10).
func ReadAccountChange(o *apijson.Object) (change commerce.AccountChange) {
	o.Record("UpdateAccount")
	name := o.Text("name", apijson.Text{Filled: true, Max: limits.MaxName})
	change.Name, change.Currency = name.Value, readCurrency(o).Value
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
