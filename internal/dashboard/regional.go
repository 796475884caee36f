package dashboard

import (
	"maps"
	"slices"
	"sync"

	"golang.org/x/text/currency"

	"entrepot/internal/accounts"
	"entrepot/internal/base/regional"
	"entrepot/internal/commerce"
	"entrepot/internal/dashboard/texts"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
)

// locales are the locales to choose from; another one that the API has set can stay.
var locales = []string{"en-GB", "en-US", "cs-CZ", "da-DK", "de-AT", "de-CH", "de-DE", "es-ES", "fi-FI", "fr-CA", "fr-FR", "hu-HU", "it-IT",
	"ja-JP", "nl-NL", "nb-NO", "pl-PL", "pt-BR", "pt-PT", "ro-RO", "sv-SE"}

// currencyOptions are the currencies that are in use somewhere.
var currencyOptions = sync.OnceValue(func() []option {
	codes := map[string]bool{}
	for in := currency.Query(); in.Next(); {
		codes[in.Unit().String()] = true
	}
	var list []option
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		list = append(list, option{Value: code})
	}
	return list
})

// zoneField is the input of a time zone; where says which one applies if it is empty.
func (r *request) zoneField(value, where string) field {
	var zones []option
	for _, name := range regional.Zones() {
		zones = append(zones, option{Value: name})
	}
	return field{Name: "timeZone", Label: "Time zone", Max: regional.MaxZone, Value: value, ClearBlank: true, Options: zones, Complete: "off",
		Hint: r.say("Type the name of your city, or the largest near it: Paris for Europe/Paris.%s It is %s now.",
			where, r.format.write(r.format.now, "2 Jan, 15:04 MST"))}
}

// readZone lets the city stand for its time zone.
func (f *form) readZone() {
	if f.sent.Has("timeZone") {
		f.sent.Set("timeZone", regional.ZoneOf(f.Value("timeZone")))
	}
}

// localeField is the input of a locale; none says what applies if it is empty.
func (r *request) localeField(value, none string) field {
	f := field{Name: "locale", Label: "Numbers and dates", Kind: "select", Value: value, ClearBlank: true, Options: []option{{Label: none}}}
	list := locales
	if value != "" && !slices.Contains(list, value) {
		list = append(slices.Clone(list), value)
	}
	for _, one := range list {
		sample := r.format
		sample.separators, sample.layouts = separatorsOf(one), sample.layoutsIn(one)
		f.Options = append(f.Options, option{Value: one, Label: one + ": " + sample.plain("12345.67") + ", " +
			sample.write(r.format.now, "2 Jan 2006, 15:04")})
	}
	return f
}

// languageField is the input of the language of the pages.
func (r *request) languageField(value string) field {
	f := field{Name: "language", Label: "Language", Kind: "select", Value: value, ClearBlank: true, Options: []option{{Label: "As the browser"}}}
	for _, l := range texts.Languages() {
		f.Options = append(f.Options, option{Value: l.Code, Label: l.Name})
	}
	return f
}

// preferencesForm is the form of the user's language, and format of times and numbers.
func preferencesForm(r *request) *form {
	user, account := r.session.User, r.session.Account
	return r.editing("/settings/me/preferences", r.zoneField(user.TimeZone, r.say(" Empty: the account's, %s.", zoneName(account))),
		r.localeField(user.Locale, "As the account"), r.languageField(user.Language))
}

// zoneName is the time zone of an account.
func zoneName(a accounts.Account) string {
	if a.Settings.TimeZone == "" {
		return "UTC"
	}
	return a.Settings.TimeZone
}

// changePreferences serves POST /settings/me/preferences.
func (d *Dashboard) changePreferences(r *request) (answer, error) {
	return r.submit(preferencesForm(r), d.showMe, func(f *form) (answer, error) {
		f.readZone()
		o := f.Object()
		given, _, _ := drafts.ReadUserChange(o)
		if err := o.Err(); err != nil {
			return answer{}, err
		}
		change := commerce.UserChange{TimeZone: given.TimeZone, Locale: given.Locale, Language: given.Language}
		return d.write(r, func(tx *db.Tx) (answer, error) {
			_, err := d.Commerce.UpdateUser(tx, r.caller(), r.session.User.ID, commerce.Expected{}, change)
			return redirect("/settings/me", "Saved your settings"), err
		})
	})
}
