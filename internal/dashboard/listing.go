package dashboard

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/apijson"
)

// perPage is how many rows a list shows.
const perPage = 50

// listing is the address of a list: path, query, and page number.
type listing struct {
	path  string
	query url.Values
	Page  int
	size  int // rows on a page
}

// listing reads the address of a list below the prefix; what is no number of a page is the first one.
func (r *request) listing(path string) listing {
	return listing{path: path, query: r.http.URL.Query(), Page: r.query().Int("page", 1, 1, 1_000_000), size: perPage}
}

// noMatch is said in place of a list that no row is in, because of its filters.
func noMatch(path, one, many string) empty {
	return empty{Icon: "search", Head: "No " + one + " matches", Text: "Take a filter away, or search for something else.",
		Label: "Show all " + many, To: prefix + path}
}

// query reads the parameters of the page.
func (r *request) query() *apijson.Query { return apijson.ReadQuery(r.http.URL.Query()) }

// offset is how many rows come before the page.
func (l listing) offset() int { return (l.Page - 1) * l.size }

// with is the address with other parameters, name and value in turns; "" removes one. It is the address of the first page.
func (l listing) with(pairs ...string) string {
	query := url.Values{}
	for name, values := range l.query {
		if name != "page" && len(values) > 0 && values[0] != "" {
			query[name] = values[:1]
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		if query.Del(pairs[i]); pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	if len(query) == 0 {
		return prefix + l.path
	}
	return prefix + l.path + "?" + query.Encode()
}

// here is the address of this page, below the prefix.
func (l listing) here() string {
	if l.Page == 1 {
		return strings.TrimPrefix(l.with(), prefix)
	}
	return strings.TrimPrefix(l.with("page", strconv.Itoa(l.Page)), prefix)
}

// encoded is the query of this page's address with its question mark, "" for none.
func (l listing) encoded() string { return strings.TrimPrefix(l.here(), l.path) }

// tab is a view of the list that sets one parameter.
func (l listing) tab(label, name, value string) tab {
	return tab{Label: label, To: l.with(name, value), Current: l.query.Get(name) == value}
}

// narrowed reports whether the address has a filter beside some.
func (l listing) narrowed(beside ...string) bool {
	for name := range l.query {
		if name != "page" && name != "sort" && l.query.Get(name) != "" && !slices.Contains(beside, name) {
			return true
		}
	}
	return false
}

// pager has the addresses of the previous and next pages.
func (l listing) pager(f format, shown int, total int64, one, many string) pager {
	first := int64(l.offset()) + 1
	p := pager{Words: f.plural(total, one, many)}
	if shown > 0 && total > int64(shown) {
		p.Words = f.Count(first) + "–" + f.Count(first+int64(shown)-1) + " of " + p.Words
	}
	if shown == 0 && total > 0 && l.Page > 1 {
		p.Last = strings.TrimPrefix(l.with("page", strconv.FormatInt((total+int64(l.size)-1)/int64(l.size), 10)), prefix)
	}
	if l.Page > 1 {
		p.Newer = l.with("page", strconv.Itoa(l.Page-1))
	}
	if l.Page > 2 {
		p.First = l.with()
	}
	if int64(l.offset()+shown) < total && shown > 0 {
		p.Older = l.with("page", strconv.Itoa(l.Page+1))
	}
	return p
}

// head is a column's head that sorts by a field, in the other direction if the list is sorted by it already.
func (l listing) head(label, field, sortedBy string, descending, num bool) head {
	h := head{Label: label, Num: num}
	direction := ":asc"
	if field == sortedBy {
		h.Sort = "ascending"
		if descending {
			h.Sort = "descending"
		} else {
			direction = ":desc"
		}
	}
	h.To = l.with("sort", field+direction)
	return h
}

// hidden are the parameters that a form of filters keeps, without those that it has as inputs.
func (l listing) hidden(asked ...string) []pair {
	kept := url.Values{}
	for name, values := range l.query {
		kept[name] = values
	}
	kept.Del("page")
	for _, name := range asked {
		kept.Del(name)
	}
	var list []pair
	for name, values := range kept {
		if len(values) > 0 && values[0] != "" {
			list = append(list, pair{Name: name, Value: values[0]})
		}
	}
	return list
}

// filterBar is the form of filters above a list; it uses GET, so that every choice has an address.
type filterBar struct {
	Action      string
	Name        string // of the parameter that the search is, "" for search
	Search      string
	Label       string // of the search
	Placeholder string
	Selects     []*field
	Inputs      []field // typed, named by their placeholders
	Hidden      []pair
	Chips       []chip
}

// filterSelect is a choice among the filters; the first option is "any".
func filterSelect(name, label, any, value string, options []option) *field {
	f := &field{Name: name, Label: label, Kind: "select", Value: value, Options: append([]option{{Label: any}}, options...), Form: "filter"}
	f.choose()
	return f
}

// offer adds a choice among some values to the filters: a select, or, of very many, a chip that leads to all of them and one that takes the
// chosen one away. It returns the parameters that the form has as inputs.
func (b *filterBar) offer(l listing, name, label, any, value string, options []option) []string {
	if len(options) == 0 {
		return nil
	}
	if len(options) <= mostInSelect {
		b.Selects = append(b.Selects, filterSelect(name, label, any, value, options))
		return []string{name}
	}
	for _, o := range options {
		if o.Value == value {
			b.Chips = append(b.Chips, chip{Label: label + ": " + short(o.Label), To: l.with(name, ""), On: true})
		}
	}
	b.Chips = append(b.Chips, chip{Label: label, To: l.with(choosing, name)})
	return nil
}
