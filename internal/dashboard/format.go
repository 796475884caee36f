package dashboard

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"entrepot/internal/accounts"
	"entrepot/internal/analytics"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/money"
	"entrepot/internal/base/regional"
	"entrepot/internal/dashboard/texts"
)

// format writes money, numbers and times in the user's locale and time zone, or the account's if the user has none.
// Without a locale, separators are those of the browser's language. Words are in the language of the user.
type format struct {
	separators separators
	layouts    *strings.Replacer // from the layouts in the code to those of the locale
	currency   string            // of the account
	language   string            // whose order names have: a locale, or what a browser prefers
	zone       *time.Location
	now        time.Time
	words      *texts.Language
}

// separators are how a language writes numbers.
type separators struct {
	decimal, group string
	first, rest    int  // digits of the group before the decimals, and of those before that
	symbolAfter    bool // "12,50 €"
	symbolApart    bool // "€ 12,50"
}

// newFormat is the format of a user of an account; both are empty if nobody is logged in.
func newFormat(r *http.Request, account *accounts.Account, user *accounts.User, now time.Time) format {
	f := format{layouts: asWritten, currency: account.Currency, zone: time.UTC, now: now,
		words: texts.Of(user.Language, r.Header.Get("Accept-Language"))}
	if zone, ok := regional.Zone(cmp.Or(user.TimeZone, account.Settings.TimeZone)); ok {
		f.zone = zone
	}
	locale := cmp.Or(user.Locale, account.Settings.Locale)
	if f.language = locale; locale == "" {
		f.language = r.Header.Get("Accept-Language")
		f.separators = separatorsOf(f.language)
		return f
	}
	f.separators, f.layouts = separatorsOf(locale), f.layoutsIn(locale)
	return f
}

// layoutsIn are the layouts of a locale. Months stand before days in English alone.
func (f format) layoutsIn(locale string) *strings.Replacer {
	dates := datesOf(locale)
	dates[0] = dates[0] && f.words == texts.English
	return layoutsOf[dates]
}

// names is the order of names in the user's language: by their letters in any case, and numbers by their value. It is
// for one goroutine.
func (f format) names() *collate.Collator {
	tags, _, _ := language.ParseAcceptLanguage(f.language[:min(len(f.language), 100)])
	return collate.New(append(tags, language.English)[0], collate.IgnoreCase, collate.Numeric)
}

// datesOf is how a locale writes dates and times of day.
func datesOf(locale string) [2]bool {
	tag, err := language.Parse(locale)
	if err != nil {
		return [2]bool{}
	}
	monthFirst, twelve := regional.Dates(tag)
	return [2]bool{monthFirst, twelve}
}

// layoutsOf are the layouts by two properties: the month comes first, and the clock has twelve hours.
var layoutsOf = map[[2]bool]*strings.Replacer{
	{}:            asWritten,
	{true, false}: strings.NewReplacer("2 January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006", "2 Jan", "Jan 2"),
	{false, true}: strings.NewReplacer("15:04:05", "3:04:05 PM", "15:04", "3:04 PM"),
	{true, true}: strings.NewReplacer("2 January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006", "2 Jan", "Jan 2",
		"15:04:05", "3:04:05 PM", "15:04", "3:04 PM"),
}

var asWritten = strings.NewReplacer()

// write formats a time by a layout of package time with the day before the month and 24 hours, converted to the
// locale's.
func (f format) write(at time.Time, layout string) string {
	return f.words.Date(at.In(f.zone), f.layouts.Replace(layout))
}

// midnight is the first moment of the user's day some days after today.
func (f format) midnight(days int) time.Time {
	year, month, day := f.now.In(f.zone).Date()
	return regional.Day(year, month, day+days, f.zone)
}

// lastDays is the span of the user's last n days, today as a whole among them.
func (f format) lastDays(n int) analytics.Span {
	return analytics.Span{From: f.midnight(1 - n).UnixMicro(), To: f.midnight(1).UnixMicro() - 1}
}

var english = separators{decimal: ".", group: ",", first: 3, rest: 3}

// found caches the separators of languages; its size is limited.
var (
	foundLock sync.Mutex
	found     = map[string]separators{}
)

func separatorsOf(accept string) separators {
	if len(accept) > 100 {
		accept = accept[:100]
	}
	foundLock.Lock()
	defer foundLock.Unlock()
	if s, ok := found[accept]; ok {
		return s
	}
	s := english
	if tags, _, err := language.ParseAcceptLanguage(accept); err == nil && len(tags) > 0 {
		s = separatorsIn(tags[0])
	}
	if len(found) >= 500 {
		clear(found)
	}
	found[accept] = s
	return s
}

// separatorsIn derives a language's separators from a formatted number.
func separatorsIn(tag language.Tag) separators {
	sample := message.NewPrinter(tag, message.Catalog(message.DefaultCatalog)).Sprint(number.Decimal(123456789.5))
	var digits, between []string
	for _, c := range sample {
		if c >= '0' && c <= '9' {
			if len(between) == len(digits) {
				digits = append(digits, "")
			}
			digits[len(digits)-1] += string(c)
			continue
		}
		if len(between) < len(digits) {
			between = append(between, "")
		}
		if len(between) == 0 {
			return english
		}
		between[len(between)-1] += string(c)
	}
	if len(digits) < 3 || len(between) != len(digits)-1 {
		return english // digits other than 0 to 9
	}
	n := len(digits)
	s := separators{decimal: between[n-2], group: between[0], first: len(digits[n-2]), rest: len(digits[n-3])}
	s.symbolAfter, s.symbolApart = symbolPlace(tag)
	return s
}

// symbolPlace says where a language has the symbol of a currency: after the number, or before it, and then whether
// with a space.
func symbolPlace(tag language.Tag) (after, apart bool) {
	base, _ := tag.Base()
	region, _ := tag.Region()
	switch at := region.String(); base.String() {
	case "en", "ja", "zh", "ko", "hi", "th", "tr", "ms", "mul": // the last is any, "*"
		return false, false
	case "nl", "id":
		return false, true
	case "pt":
		return at == "PT", at != "PT"
	case "de", "it":
		swiss := at == "CH" || at == "LI" || at == "AT"
		return !swiss, swiss
	}
	return true, false
}

// plain writes a decimal number with separators; the sign is the typographic one.
func (f format) plain(decimal string) string {
	sign := ""
	if strings.HasPrefix(decimal, "-") {
		sign, decimal = "−", decimal[1:]
	}
	whole, fraction, dotted := strings.Cut(decimal, ".")
	var groups []string
	for size := f.separators.first; len(whole) > size; size = f.separators.rest {
		groups = append([]string{whole[len(whole)-size:]}, groups...)
		whole = whole[:len(whole)-size]
	}
	out := sign + strings.Join(append([]string{whole}, groups...), f.separators.group)
	if dotted {
		out += f.separators.decimal + fraction
	}
	return out
}

// local is a time in the user's zone in the form of an input of type datetime-local, cut to the second.
func (f format) local(micros int64) string {
	return time.UnixMicro(micros).In(f.zone).Format("2006-01-02T15:04:05")
}

// moment reads a time in the API's form or that of browsers' inputs; the latter, and bare dates, are in the user's
// zone. A bare date is its first moment, or as an upper bound its last. A time that clocks show twice, when they go
// back, is the first of the two, or as an upper bound the second: nothing between them is left out. One that they
// pass over, when they go forward, is when they do.
func (f format) moment(text string, upper bool) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.ParseInLocation(layout, text, f.zone); err == nil {
			if typed, _ := time.Parse(layout, text); typed.Format(time.DateTime) != at.Format(time.DateTime) {
				return forward(at, typed, upper), true
			}
			at = ofTwo(at, upper)
			if upper && at.Nanosecond()%int(time.Millisecond) == 0 {
				at = at.Add(time.Millisecond - time.Microsecond) // as the API's bounds
			}
			return at, true
		}
	}
	return apijson.ParseTimeIn(text, upper, f.zone)
}

// forward is when clocks go forward over a typed time, or the last moment before; at is package time's reading of it,
// on either side.
func forward(at, typed time.Time, before bool) time.Time {
	from, to := at.ZoneBounds()
	if at.Format(time.DateTime) < typed.Format(time.DateTime) {
		from = to
	}
	if before {
		return from.Add(-time.Microsecond)
	}
	return from
}

// ofTwo is the first of the moments at which clocks show the time of at, or the last one.
func ofTwo(at time.Time, last bool) time.Time {
	_, now := at.Zone()
	for _, days := range []int{-1, 1} {
		_, then := at.AddDate(0, 0, days).Zone()
		other := at.Add(time.Duration(now-then) * time.Second)
		if further := last && other.After(at) || !last && other.Before(at); further && other.Format(time.DateTime) == at.Format(time.DateTime) {
			return other
		}
	}
	return at
}

// Count writes a whole number.
func (f format) Count(n int64) string { return f.plain(strconv.FormatInt(n, 10)) }

// Money writes an amount of a currency with its symbol.
func (f format) Money(a money.Amount, code string) string { return f.withSymbol(a.Text(code), code) }

// Total writes a sum of amounts, rounded to the currency's minor unit.
func (f format) Total(t money.Total, code string) string {
	return f.withSymbol(decimals(t.String(), money.Digits(code)), code)
}

// Whole formats a sum of amounts without its decimals, where its size matters more than the cents.
func (f format) Whole(t money.Total, code string) string {
	return f.withSymbol(decimals(t.String(), 0), code)
}

// decimals rounds a decimal number to n digits after the point, half away from zero, or fills it up to them.
func decimals(text string, n int) string {
	number, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(number, ".")
	digits := []byte("0" + whole + (fraction + strings.Repeat("0", n))[:n])
	if len(fraction) > n && fraction[n] >= '5' {
		at := len(digits) - 1
		for ; digits[at] == '9'; at-- {
			digits[at] = '0'
		}
		digits[at]++
	}
	out := strings.TrimPrefix(string(digits), "0")
	if n > 0 {
		out = out[:len(out)-n] + "." + out[len(out)-n:]
	}
	if negative && strings.Trim(out, "0.") != "" {
		return "-" + out
	}
	return out
}

func (f format) withSymbol(decimal, code string) string {
	return f.besideSymbol(f.plain(decimal), code)
}

// besideSymbol puts a currency's symbol before or after a number.
func (f format) besideSymbol(number, code string) string {
	symbol, sign := symbolOf(code), ""
	if strings.HasPrefix(number, "−") {
		sign, number = "−", strings.TrimPrefix(number, "−")
	}
	switch {
	case f.separators.symbolAfter:
		return sign + number + "\u00a0" + symbol
	case f.separators.symbolApart, len(symbol) > 2 && symbol == code:
		return sign + symbol + "\u00a0" + number
	}
	return sign + symbol + number
}

// symbolOf is a currency's symbol, or its code if it has none.
func symbolOf(code string) string {
	unit, err := currency.ParseISO(code)
	if err != nil {
		return code
	}
	return message.NewPrinter(language.English).Sprint(currency.NarrowSymbol(unit))
}

// stamp is a time in a short and in a full form.
type stamp struct {
	ISO, Words, Full string
	// printed instead of words that are about this moment or this year, "" where they have the whole date
	Dated string
}

// Stamp formats a time relative to now: "6 min ago", "yesterday, 10:10", "22 Nov, 05:09". micros is microseconds since
// 1970 UTC; 0 is never.
func (f format) Stamp(micros int64) stamp {
	s := f.Moment(micros, "2 Jan 2006, 15:04")
	if micros == 0 {
		return s
	}
	s.Dated, s.Words = s.Words, f.relative(time.UnixMicro(micros).In(f.zone))
	return s
}

// Due is a moment in the future; once it has passed, it reads as now.
func (f format) Due(micros int64) stamp {
	s := f.Stamp(micros)
	if micros != 0 && micros <= f.now.UnixMicro() {
		s.Words = "now"
	}
	return s
}

// Moment writes a moment in a layout of package time; one that has the day but not the year gets the year in other
// years.
func (f format) Moment(micros int64, layout string) stamp {
	if micros == 0 {
		return stamp{Words: "never"}
	}
	at := time.UnixMicro(micros)
	s := stamp{ISO: at.UTC().Format("2006-01-02T15:04:05.000Z"), Full: f.write(at, "2 January 2006, 15:04:05 MST")}
	if !strings.Contains(layout, "2006") {
		s.Dated = f.write(at, "2 Jan 2006, 15:04:05")
		if at.In(f.zone).Year() != f.now.In(f.zone).Year() {
			layout = strings.Replace(layout, "2 Jan", "2 Jan 2006", 1)
		}
	}
	s.Words = f.write(at, layout)
	return s
}

func (f format) relative(at time.Time) string {
	now := f.now.In(f.zone)
	ago := now.Sub(at)
	switch {
	case ago < 0:
		return f.ahead(-ago, at)
	case ago < time.Minute:
		return f.say("just now")
	case ago < time.Hour:
		return f.say("%d min ago", int(ago.Minutes()))
	case ago < 6*time.Hour:
		return f.say("%d h ago", int(ago.Hours()))
	}
	return f.day(at, now)
}

func (f format) ahead(in time.Duration, at time.Time) string {
	switch {
	case in < time.Minute:
		return f.say("in %d s", int(in.Seconds()))
	case in < time.Hour:
		return f.say("in %d min", int(in.Minutes()))
	case in < 6*time.Hour:
		return f.say("in %d h", int(in.Hours()))
	}
	return f.day(at, f.now.In(f.zone))
}

// day is the name of a day and the time.
func (f format) day(at, now time.Time) string {
	const dayOnly = "20060102"
	switch at.Format(dayOnly) {
	case now.Format(dayOnly):
		return f.say("today, %s", f.write(at, "15:04"))
	case now.AddDate(0, 0, -1).Format(dayOnly):
		return f.say("yesterday, %s", f.write(at, "15:04"))
	case now.AddDate(0, 0, 1).Format(dayOnly):
		return f.say("tomorrow, %s", f.write(at, "15:04"))
	}
	if at.Year() == now.Year() {
		return f.write(at, "2 Jan, 15:04")
	}
	return f.write(at, "2 Jan 2006")
}

// plural joins a number and its noun: 1 order, 2 orders.
func (f format) plural(n int64, one, many string) string {
	return f.Count(n) + " " + f.words.Plural(n, one, many)
}

// say is a text in the user's language, with the arguments in the places of its %s.
func (f format) say(text string, args ...any) string { return f.words.Say(text, args...) }
