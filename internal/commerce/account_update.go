package commerce

import (
	"cmp"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/db"
	"entrepot/internal/records"
)

// AccountChange is a change of the account; nil and empty members leave it as it is.
type AccountChange struct {
	Name             string
	Currency         string
	StrictWarehouses *bool
	TimeZone         string        // by its name
	Locale           *string       // "" for that of each browser
	Plan             accounts.Plan // as bought: an account cannot change it itself
}

// UpdateAccount changes the caller's account (interface §4.5.10). Errors: those of Expected.
func (s *Service) UpdateAccount(tx *db.Tx, who accounts.Caller, expected Expected, change AccountChange) (accounts.Account, error) {
	account, err := accounts.LockOwn(tx)
	if err == nil {
		err = expected.check(func(w *apijson.Writer) { records.WriteAccount(w, "data", account) })
	}
	if err != nil {
		return account, err
	}
	before := account
	var changed []string
	if change.Name != "" && change.Name != account.Name {
		account.Name, changed = change.Name, append(changed, "name")
	}
	if change.Currency != "" && change.Currency != account.Currency {
		account.Currency, changed = change.Currency, append(changed, "currency")
	}
	if strict := change.StrictWarehouses; strict != nil && *strict != account.Settings.StrictWarehouses {
		account.Settings.StrictWarehouses, changed = *strict, append(changed, "strictWarehouses")
	}
	if zone := change.TimeZone; zone != "" && zone != cmp.Or(account.Settings.TimeZone, "UTC") {
		account.Settings.TimeZone, changed = zone, append(changed, "timeZone")
	}
	if locale := change.Locale; locale != nil && *locale != account.Settings.Locale {
		account.Settings.Locale, changed = *locale, append(changed, "locale")
	}
	if change.Plan != "" && change.Plan != account.Plan {
		account.Plan, changed = change.Plan, append(changed, "plan")
	}
	if len(changed) == 0 {
		return account, nil
	}
	account.Save(tx)
	audit.Record(tx, who.Actor(), "account.updated", "account", string(account.ID), map[string]string{"fields": strings.Join(changed, ",")},
		audit.Diff(auditedAccount(before), auditedAccount(account))...)
	return account, nil
}
