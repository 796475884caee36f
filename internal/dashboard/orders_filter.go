package dashboard

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/money"
	"entrepot/internal/drafts"
	"entrepot/internal/orders"
)

// orderList is the list of orders and its filter, whose parameters have the names of the API's. An order's page has
// them, too, so that its neighbours are those of the list it was opened from.
type orderList struct {
	*listing
	orders.Filter
}

// orderParameters are those of the list. One is not of the API: placed is a span that ends now, "today" or a number
// of days.
var orderParameters = []string{"search", "status", "channelId", "customerId", "customerEmail", "country", "minTotal", "maxTotal", "placed",
	"createdAtGte", "createdAtLte", "stuck", "tag", "assignedTo", "sort"}

// wholeQuery is the input that has all parameters of the list, in the forms about it.
const wholeQuery = "list"

// readOrders reads the list's parameters. Errors: Invalid, as the API's list.
func (r *request) readOrders(values url.Values) (orderList, error) {
	if whole, err := url.ParseQuery(values.Get(wholeQuery)); err == nil && len(whole) > 0 {
		values = whole
	}
	l := r.listingOf(values, "/orders", "order", "orders", orderParameters...)
	given := l.values
	unclear := r.amountsOf(given, "minTotal", "maxTotal")
	q := apijson.ReadQuery(r.daysOf(given, "createdAtGte", "createdAtLte"))
	out := orderList{l, drafts.ReadOrderFilter(q)}
	for name, words := range unclear {
		q.AddError(name, "%s", words)
	}
	if from, ok := r.placedFrom(given.Get("placed")); ok {
		out.From = max(out.From, from.UnixMicro())
	} else if given.Has("placed") {
		q.AddError("placed", "must be today, or a number of days such as 7d")
	}
	if len(out.Statuses) > 0 {
		given.Set("status", statusesText(out.Statuses))
	}
	out.Limit, out.Offset = l.size, l.offset()
	return out, q.Err()
}

// ordersShown reads the list's parameters from the address of its page. Wrong ones do not refuse the page: it says
// what is wrong, instead of orders.
func (r *request) ordersShown() (orderList, error) {
	values := r.http.URL.Query()
	q, err := r.readOrders(values)
	if e, ok := apperr.As(err); ok {
		typed := q.values.Get("search")
		for _, d := range e.Details {
			values.Del(d.Path)
		}
		if q, err = r.readOrders(values); err == nil {
			q.Pager.Wrong = said(e)
			defer func() { q.Find.Value = typed }()
		}
	}
	q.search("search", "Search orders", "Number, reference, name, e-mail")
	return q, err
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

// amountsOf converts amounts of a query that are written as people write them, and returns questions about those that
// can be read in two ways, by their names. The converted amounts are clear in every locale.
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

// daysOf converts the times of a query, a lower and an upper bound, from the user's zone: bare dates become the first
// and the last moment of those days. The API's readers would use UTC.
func (r *request) daysOf(values url.Values, lower, upper string) url.Values {
	read := maps.Clone(values)
	for _, name := range []string{lower, upper} {
		if at, ok := r.format.moment(values.Get(name), name == upper); ok {
			read.Set(name, at.Format(time.RFC3339Nano))
		}
	}
	return read
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
