package dashboard

import (
	"strconv"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
	"entrepot/internal/webhooks"
)

// settingsRoutes are the account and, of a sandbox account, its clock.
var settingsRoutes = []*route{
	{method: "GET", path: "/settings/account", serve: (*Dashboard).showAccount},
	{method: "POST", path: "/settings/account", scope: "write:users", serve: (*Dashboard).updateAccount},
	{method: "GET", path: "/settings/sandbox", serve: (*Dashboard).showSandbox},
	{method: "POST", path: "/settings/sandbox", scope: "write:webhooks", serve: (*Dashboard).advanceClock},
}

// settingsTabs are the pages of settings that the user may see.
func (r *request) settingsTabs(at string) (list []tab) {
	add := func(path, label string, shown bool) {
		if shown {
			list = append(list, tab{Label: label, To: prefix + path, Current: path == at})
		}
	}
	reads := r.caller().May("read:users")
	add("/settings/account", "Account", true)
	add("/settings/me", "My login", true)
	add("/settings/users", "Users", reads)
	add("/settings/audit", "Audit log", reads)
	add("/settings/requests", "Refused requests", reads)
	add("/settings/sandbox", "Sandbox clock", r.caller().Sandbox)
	return list
}

type accountView struct {
	Tabs []tab
	Form *form
	Plan []pair
	Use  []pair

	Backups []pair // nil: nothing is shown of them
}

func accountForm(r *request, a accounts.Account) *form {
	strict := ""
	if a.Settings.StrictWarehouses {
		strict = "true"
	}
	zone := r.zoneField(zoneName(a), " Days of figures and lists begin there.")
	zone.Required, zone.ClearBlank = true, false
	return r.editing("/settings/account",
		field{Name: "name", Label: "Name", Required: true, Max: limits.MaxName, Value: a.Name},
		field{Name: "currency", Label: "Currency of product prices", Required: true, Max: 3, Mono: true, Value: a.Currency,
			Options: currencyOptions(), Hint: "ISO 4217, such as EUR. Prices keep their numbers when it changes."},
		field{Name: "strictWarehouses", Label: "Refuse stock of warehouses that do not exist", Kind: "checkbox", Value: strict,
			Hint: "Otherwise an import that names an unknown warehouse makes it."},
		zone, r.localeField(a.Settings.Locale, "As each browser says"))
}

// showAccount serves GET /settings/account.
func (d *Dashboard) showAccount(r *request) (answer, error) {
	a := r.session.Account
	rate := a.Plan.Rate()
	view := accountView{Tabs: r.settingsTabs("/settings/account"), Form: accountForm(r, a), Backups: r.backupPairs(),
		Plan: []pair{{Name: "Plan", Value: planName(a.Plan)},
			{Name: "Requests", Value: r.say("%s a minute for each key, %s within a second",
				r.format.Count(int64(rate.PerMinute)), r.format.Count(int64(rate.Burst)))}, {Name: "Account id", Value: string(a.ID), Mono: true}}}
	var keys, users, endpoints int64
	err := r.read(func(tx *db.Tx) error {
		return tx.Together(func(tx *db.Tx) (err error) {
			_, keys, err = accounts.Keys(tx, 1, 0)
			return err
		}, func(tx *db.Tx) (err error) {
			_, users, err = accounts.Users(tx, 1, 0)
			return err
		}, func(tx *db.Tx) (err error) {
			_, endpoints, err = webhooks.Endpoints(tx, 1, 0)
			return err
		})
	})
	view.Use = []pair{{Name: "Users", Value: r.format.Count(users)}, {Name: "API keys", Value: r.format.Count(keys)},
		{Name: "Webhook endpoints", Value: r.say("%s of %s", r.format.Count(endpoints), strconv.Itoa(limits.MaxEndpoints))}}
	return show(screen{Template: "account", Title: "Settings", Section: "/settings/account", Data: view}), err
}

// updateAccount serves POST /settings/account.
func (d *Dashboard) updateAccount(r *request) (answer, error) {
	return r.submit(accountForm(r, r.session.Account), d.showAccount, func(f *form) (answer, error) {
		f.readZone()
		o := f.Object()
		change := drafts.ReadAccountChange(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateAccount(tx, r.caller(), commerce.Expected{}, change)
			return redirect("/settings/account", "Saved the account"), err
		})
	})
}

type sandboxView struct {
	Tabs    []tab
	Form    *form
	Sandbox bool
}

func advanceForm(r *request) *form {
	return r.form("/settings/sandbox", field{Name: "advance", Label: "Move on by", Required: true, Max: 20, Mono: true, Placeholder: "30m",
		Hint: r.say("A span such as 90s, 30m or 24h. The retries of a webhook take %s.", shortSpan(r.d.schedule().Span()))})
}

// showSandbox serves GET /settings/sandbox.
func (d *Dashboard) showSandbox(r *request) (answer, error) {
	view := sandboxView{Tabs: r.settingsTabs("/settings/sandbox"), Form: advanceForm(r), Sandbox: r.caller().Sandbox}
	return show(screen{Template: "sandbox", Title: "Sandbox clock", Section: "/settings/account", Data: view}), nil
}

// advanceClock serves POST /settings/sandbox.
func (d *Dashboard) advanceClock(r *request) (answer, error) {
	return r.submit(advanceForm(r), d.showSandbox, func(f *form) (answer, error) {
		o := f.Object()
		by := drafts.ReadAdvance(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		out, err := d.write(r, func(tx *db.Tx) (answer, error) {
			due, err := r.cameDue(tx, by)
			if err != nil {
				return answer{}, err
			}
			ahead, err := d.Commerce.AdvanceClock(tx, r.caller(), by)
			return redirect("/settings/sandbox", r.say("The clock is %s ahead. %s", shortSpan(ahead), due)), err
		})
		if err != nil {
			return answer{}, err
		}
		renewed, err := d.openSession(r, r.session.User) // logins also end earlier, so the user gets a new session
		out.cookies = renewed.cookies
		return out, err
	})
}

// cameDue says what comes due when the clock moves on.
func (r *request) cameDue(tx *db.Tx, by time.Duration) (string, error) {
	now := tx.Micros()
	var list []string
	for _, kind := range []struct {
		count     func(tx *db.Tx, after, until int64) (int64, error)
		one, many string
	}{{webhooks.DueBetween, "delivery", "deliveries"}, {jobs.DueBetween, "job", "jobs"},
		{accounts.KeysThatExpire, "API key that expired", "API keys that expired"}} {
		n, err := kind.count(tx, now, now+by.Microseconds())
		if err != nil {
			return "", err
		}
		if n > 0 {
			list = append(list, r.format.plural(n, kind.one, kind.many))
		}
	}
	if len(list) == 0 {
		return "Nothing came due.", nil
	}
	return r.say("Came due: %s.", strings.Join(list, ", ")), nil
}

// shortSpan is a duration without the units that are zero at its end: "28h30m".
func shortSpan(d time.Duration) string {
	text := d.Round(time.Second).String()
	for _, zero := range []string{"0s", "0m"} {
		if strings.HasSuffix(text, "m"+zero) || strings.HasSuffix(text, "h"+zero) {
			text = strings.TrimSuffix(text, zero)
		}
	}
	return text
}
