package dashboard

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/drafts"
	"entrepot/internal/money"
	"entrepot/internal/orders"
)

// ordersPage is how many orders a page of the list shows.
const ordersPage = 50

// ordersQuery is the query of the list's address: the filter, with the names of the API's parameters, and the page. An
// order's page keeps it, so that its neighbours are those of the list it was opened from.
type ordersQuery struct {
	orders.Filter
	Page   int
	values url.Values // what belongs to the filter and the sort
}

// ordersParameters are those of the list, and placed, which is a span that ends now: "today", or a number of days.
var ordersParameters = []string{"search", "status", "channelId", "customerId", "customerEmail", "country", "minTotal", "maxTotal", "placed",
	"createdAtGte", "createdAtLte",
	"stuck", "sort"}

// wholeQuery is the input that has all parameters of the list, in the forms about it.
const wholeQuery = "list"

// readOrders reads the list's parameters. Errors: Invalid, as the API's list.
func (r *request) readOrders(values url.Values) (ordersQuery, error) {
	if whole, err := url.ParseQuery(values.Get(wholeQuery)); err == nil && len(whole) > 0 {
		values = whole
	}
	given := url.Values{}
	for _, name := range ordersParameters {
		if text := strings.TrimSpace(strings.Join(nonEmpty(values[name]), ",")); text != "" {
			given.Set(name, text)
		}
	}
	unclear := r.amountsOf(given, "minTotal", "maxTotal")
	q := apijson.ReadQuery(r.daysOf(given, "createdAtGte", "createdAtLte"))
	out := ordersQuery{Filter: drafts.ReadOrderFilter(q), values: given, Page: 1}
	for name, words := range unclear {
		q.AddError(name, "%s", words)
	}
	if n, err := strconv.Atoi(values.Get("page")); err == nil {
		out.Page = min(max(n, 1), 10_000_000)
	}
	if from, ok := r.placedFrom(given.Get("placed")); ok {
		out.From = max(out.From, from.UnixMicro())
	} else if given.Has("placed") {
		q.AddError("placed", "must be today, or a number of days such as 7d")
	}
	out.Limit, out.Offset = ordersPage, (out.Page-1)*ordersPage
	return out, q.Err()
}

// ordersShown reads the list's parameters from the address of its page. Wrong ones do not refuse the page: it says what is wrong, in place
// of orders.
func (r *request) ordersShown() (q ordersQuery, wrong string, err error) {
	values := r.http.URL.Query()
	q, err = r.readOrders(values)
	e, ok := apperr.As(err)
	if !ok {
		return q, "", err
	}
	typed := values.Get("search")
	for _, d := range e.Details {
		values.Del(d.Path)
	}
	q, err = r.readOrders(values)
	q.Search = typed
	return q, said(e), err
}

// placedFrom is the beginning of a span that ends now, at a midnight in the user's zone.
func (r *request) placedFrom(text string) (time.Time, bool) {
	days, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if text == "today" {
		days, err = 1, nil
	}
	if err != nil || days < 1 || days > 3660 {
		return time.Time{}, false
	}
	return r.format.midnight(1 - days), true
}

// amountsOf converts amounts of a query that are written as people write them, and gives what is asked about those that can be read in two
// ways, by their names. What it writes is clear in every locale.
func (r *request) amountsOf(values url.Values, names ...string) (unclear map[string]string) {
	unclear = map[string]string{}
	for _, name := range names {
		number, words := typedDecimal(values.Get(name), r.format.point(), money.Digits(r.caller().Currency))
		switch {
		case words != "":
			unclear[name] = words
		case oneGroup.MatchString(number):
			values.Set(name, number+"0")
		case number != "":
			values.Set(name, number)
		}
	}
	return unclear
}

// daysOf converts the times of a query, a lower and an upper bound, from the user's zone: bare dates become the first and the last
// moment of those days. The API's readers would use UTC.
func (r *request) daysOf(values url.Values, lower, upper string) url.Values {
	read := maps.Clone(values)
	for _, name := range []string{lower, upper} {
		if at, ok := r.format.moment(values.Get(name), name == upper); ok {
			read.Set(name, at.Format(time.RFC3339Nano))
		}
	}
	return read
}

func nonEmpty(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return strings.TrimSpace(text) == "" })
}

// at is the address of a page below the prefix with this filter and changed parameters: name, value, …; "" removes one.
func (q ordersQuery) at(path string, change ...string) string {
	values := url.Values{}
	for name, list := range q.values {
		values[name] = list
	}
	for i := 0; i+1 < len(change); i += 2 {
		if change[i+1] == "" {
			values.Del(change[i])
		} else {
			values.Set(change[i], change[i+1])
		}
	}
	if text := values.Encode(); text != "" {
		path += "?" + text
	}
	return prefix + path
}

// filtered reports whether the filter has any condition beside some.
func (q ordersQuery) filtered(beside ...string) bool {
	for name := range q.values {
		if name != "sort" && !slices.Contains(beside, name) {
			return true
		}
	}
	return false
}

// hidden are the parameters as inputs of a form, but for some.
func (q ordersQuery) hidden(but ...string) (list []pair) {
	for _, name := range ordersParameters {
		if q.values.Has(name) && !slices.Contains(but, name) {
			list = append(list, pair{Name: name, Value: q.values.Get(name)})
		}
	}
	return list
}

// statusesText is a status filter as the address has it, in the order of an order's life.
func statusesText(list []orders.Status) string {
	var texts []string
	for _, s := range orders.Statuses {
		if slices.Contains(list, s) {
			texts = append(texts, string(s))
		}
	}
	return strings.Join(texts, ",")
}
