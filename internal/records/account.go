package records

import (
	"cmp"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
)

// WriteAccount writes an account (interface §2.7.10).
func WriteAccount(w *apijson.Writer, name string, account accounts.Account) {
	w.Record("Account", name)
	apijson.ID(w, "id", account.ID)
	w.Text("name", account.Name)
	apijson.Word(w, "plan", account.Plan)
	w.Text("currency", account.Currency)
	w.Bool("strictWarehouses", account.Settings.StrictWarehouses)
	w.Text("timeZone", cmp.Or(account.Settings.TimeZone, "UTC"))
	w.TextOrNull("locale", account.Settings.Locale)
	w.Bool("sandbox", account.Sandbox)
	w.Micros("createdAt", account.CreatedAt)
	w.End()
}

// SampleAccount is the account that describes the answers.
var SampleAccount = accounts.Account{ID: "019a1c52-7c1e-7d40-9a55-000000000004", Name: "Corner shop", Plan: accounts.Pro,
	Currency: "EUR", CreatedAt: SampleTime}
