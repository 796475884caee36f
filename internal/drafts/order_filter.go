package drafts

import (
	"slices"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

// ReadOrderFilter reads the parameters of the order list except page and limit (interface §4.1).
func ReadOrderFilter(q *apijson.Query) orders.Filter {
	var f orders.Filter
	f.Statuses = apijson.QueryEnums(q, "status", orders.Statuses...)
	f.Channel = apijson.QueryID[id.Channel](q, "channelId")
	f.Customer = apijson.QueryID[id.Customer](q, "customerId")
	f.Email, f.Search = q.Email("customerEmail"), q.Text("search")
	f.Stuck = q.Bool("stuck")
	f.Tags, f.Assigned = readTagFilter(q, "tag"), readAssigned(q, "assignedTo")
	slices.Sort(f.Statuses)
	f.Statuses = slices.Compact(f.Statuses)
	f.From, f.To = readBounds(q, []string{"createdAtGte", "createdAt[gte]", "dateFrom"}, []string{"createdAtLte", "createdAt[lte]", "dateTo"})
	f.UpdatedFrom, f.UpdatedTo = readBounds(q, []string{"updatedAtGte", "updatedAt[gte]"}, []string{"updatedAtLte", "updatedAt[lte]"})
	f.Reference, f.ExternalID = q.Text("externalReference"), q.Text("externalId")
	f.Country = readCountry(q, "country")
	f.MinTotal, f.MaxTotal = readTotal(q, "minTotal"), readTotal(q, "maxTotal")
	f.Sort, f.Ascending = readSort(q)
	if text := q.Text("cursor"); text != "" {
		cursor, ok := orders.ParseCursor(text)
		if !ok {
			q.AddError("cursor", "must be a meta.nextCursor of an earlier page")
		} else {
			f.After, f.Sort, f.Ascending = cursor, cursor.Sort, cursor.Ascending
		}
	}
	return f
}

// readBounds reads the bounds of a time of orders, each under several names: the latest lower one and the earliest
// upper one, in microseconds; 0 for none.
func readBounds(q *apijson.Query, lower, upper []string) (from, to int64) {
	for _, name := range lower {
		if at, ok := q.Time(name, false); ok {
			from = max(from, orders.Shown(at.UnixMicro())) // a caller with a finer clock misses no order
		}
	}
	for _, name := range upper {
		if at, ok := q.Time(name, true); ok && (to == 0 || at.UnixMicro() < to) {
			to = at.UnixMicro()
		}
	}
	return from, to
}

// readTagFilter reads tags, of which an order must have one.
func readTagFilter(q *apijson.Query, name string) []string {
	list := orders.DistinctTags(q.List(name))
	if len(list) > limits.MaxOrderTags {
		q.AddError(name, "must be at most %d tags", limits.MaxOrderTags)
	}
	return list
}

// nobody stands in a filter for orders that are assigned to nobody.
const nobody = "none"

// readAssigned reads ids of users, to one of whom an order must be assigned, and "none" for nobody.
func readAssigned(q *apijson.Query, name string) (a orders.Assigned) {
	for _, text := range q.List(name) {
		user, ok := id.Parse[id.User](text)
		switch {
		case text == nobody:
			a.Nobody = true
		case !ok:
			q.AddError(name, "must be the id of a user, or none")
			return orders.Assigned{}
		case !slices.Contains(a.Users, user):
			a.Users = append(a.Users, user)
		}
	}
	if len(a.Users) > maxAssigned {
		q.AddError(name, "must be at most %d users", maxAssigned)
	}
	return a
}

// maxAssigned is how many users one filter names at most.
const maxAssigned = 50

// readCountry reads a country by its code of two letters, in any case.
func readCountry(q *apijson.Query, name string) string {
	text := q.Text(name)
	code, ok := orders.CountryCode(text)
	if text != "" && !ok {
		q.AddError(name, "must be an ISO 3166-1 code of two letters such as FR")
	}
	return code
}

// readTotal reads a bound of totals; nil if none is given.
func readTotal(q *apijson.Query, name string) *money.Amount {
	text := q.Text(name)
	if text == "" {
		return nil
	}
	amount, err := money.Parse(text)
	if err != nil || amount < 0 {
		q.AddError(name, "must be an amount such as 49.90")
	}
	return &amount
}

// readSort reads a sort in any of its forms: sort=total:desc, or a field (sort, sortBy) and a direction (order,
// sortOrder).
func readSort(q *apijson.Query) (orders.Sort, bool) {
	field, text := firstGiven(q, "sort", "sortBy")
	direction, way := firstGiven(q, "order", "sortOrder")
	before, after, both := strings.Cut(text, ":")
	if both {
		text, direction, way = before, field, after
	}
	sort := orders.ByCreatedAt
	switch {
	case text == "" && !both:
	case slices.Contains(orders.Sorts, orders.Sort(text)):
		sort = orders.Sort(text)
	default:
		q.AddError(field, "must be one of createdAt, total, orderNumber, updatedAt")
	}
	switch way = strings.ToLower(way); {
	case way == "asc", way == "desc", way == "" && !both:
		return sort, way == "asc"
	}
	q.AddError(direction, "the direction must be asc or desc")
	return sort, false
}

// firstGiven reads two parameters with the same meaning and returns the first that is given.
func firstGiven(q *apijson.Query, name, other string) (given, text string) {
	first, second := q.Text(name), q.Text(other)
	if first == "" && second != "" {
		return other, second
	}
	return name, first
}
