package dashboard

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/apijson"
)

// perPage is how many rows a list shows.
const perPage = 50

// listing is one page of a list of records: what its address says, and what templates/list.html shows around the
// rows. The handler of a page gets it from r.listing, which names the parameters, adds tabs, columns and filters
// (list_filters.go), says with rows or rowsAfter how many rows there are, and answers with show.
type listing struct {
	Tabs  []tab
	Heads []head
	Find  *field // the search; nil for none
	Menus []menu
	Chips []chip
	Pager pager
	Empty *empty // what is shown instead of the whole list, because the account has no record yet
	Swap  string // the ids of what a filter changes, if more than the list
	Shape string // CSS classes of the table
	Ticks string // the id of the form to which the boxes of rows belong; "" if rows cannot be ticked

	r         *request
	path      string // below the prefix
	one, many string // what its rows are called
	given     url.Values
	query     *apijson.Query // reads what was given
	values    url.Values     // the filters and the sort that are set
	page      int
	size      int      // rows on a page
	chipped   []string // parameters that have a chip
}

// listView is the data of a page that shows a list and nothing else: a template finds the members of both.
type listView[R any] struct {
	*listing
	Rows []R
}

// listing reads the address of a list below the prefix. Its rows are called one or many; the parameters are those of
// its filters and its sort. The list's links leave out other parameters. An invalid page number counts as the first.
func (r *request) listing(path, one, many string, parameters ...string) *listing {
	return r.listingOf(r.http.URL.Query(), path, one, many, parameters...)
}

// listingOf is listing for parameters that a form has sent.
func (r *request) listingOf(given url.Values, path, one, many string, parameters ...string) *listing {
	l := &listing{r: r, path: path, one: one, many: many, given: given, query: apijson.ReadQuery(given),
		values: url.Values{}, size: perPage, page: apijson.ReadQuery(given).Int("page", 1, 1, 1_000_000)}
	for _, name := range parameters {
		if text := strings.Join(nonEmpty(given[name]), ","); text != "" {
			l.values.Set(name, strings.TrimSpace(text))
		}
	}
	return l
}

func nonEmpty(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return strings.TrimSpace(text) == "" })
}

// ID is the id of the list's element.
func (l *listing) ID() string { return path.Base(l.path) }

// Action is where its filters lead.
func (l *listing) Action() string { return prefix + l.path }

// offset is how many rows come before the page.
func (l *listing) offset() int { return (l.page - 1) * l.size }

// at is the address of a page below the prefix with the list's parameters, some of them changed by pairs of name and
// value; "" removes one.
func (l *listing) at(path string, change ...string) string {
	values := maps.Clone(l.values)
	for pair := range slices.Chunk(change, 2) {
		values.Set(pair[0], pair[1])
	}
	return address(path, values)
}

// with is the address of the list's first page with other parameters, as at takes them.
func (l *listing) with(change ...string) string { return l.at(l.path, change...) }

// without is the address of the list's first page without some parameters.
func (l *listing) without(names ...string) string {
	var change []string
	for _, name := range names {
		change = append(change, name, "")
	}
	return l.with(change...)
}

// numbered is the address of a page by its number.
func (l *listing) numbered(page int) string {
	if page == 1 {
		return l.with()
	}
	return l.with("page", strconv.Itoa(page))
}

// first and here are the addresses of the first page and of this one, below the prefix.
func (l *listing) first() string { return strings.TrimPrefix(l.with(), prefix) }
func (l *listing) here() string  { return strings.TrimPrefix(l.numbered(l.page), prefix) }

// address is a path with the parameters that are not empty.
func address(path string, values url.Values) string {
	maps.DeleteFunc(values, func(_ string, list []string) bool { return len(list) == 0 || list[0] == "" })
	if len(values) == 0 {
		return prefix + path
	}
	return prefix + path + "?" + values.Encode()
}

// narrowed reports whether a filter other than some is set.
func (l *listing) narrowed(others ...string) bool {
	for name := range l.values {
		if name != "sort" && !slices.Contains(others, name) {
			return true
		}
	}
	return false
}

// wrong reports whether the address cannot be read. The page then says so instead of the rows.
func (l *listing) wrong() bool {
	if err := l.query.Err(); err != nil {
		l.Pager.Wrong = saidOf(err)
	}
	return l.Pager.Wrong != ""
}

// tab adds a view of the list, in which one parameter has a value.
func (l *listing) tab(label, name, value string) *tab {
	l.Tabs = append(l.Tabs, tab{Label: label, To: l.with(name, value), Current: l.values.Get(name) == value})
	return &l.Tabs[len(l.Tabs)-1]
}

// countTab is tab with the number of rows in that view, unless another filter leaves fewer.
func (l *listing) countTab(label, name, value string, n int64) {
	if t := l.tab(label, name, value); !l.narrowed(name) {
		t.Count = l.r.format.Count(n)
	}
}

// columns sets the heads of the columns. Heads with By sort the list, which is sorted by one of them now; a click on
// another one sorts in the direction next, "asc" or "desc".
func (l *listing) columns(by string, descending bool, next string, heads ...head) {
	for i := range heads {
		h, direction := &heads[i], next
		if h.By == "" {
			continue
		}
		if h.By == by {
			if h.Sort, direction = "ascending", "desc"; descending {
				h.Sort, direction = "descending", "asc"
			}
		}
		h.To = l.with("sort", h.By+":"+direction)
	}
	l.Heads = heads
}

// rows makes the pager of a page by its number, with so many rows of so many in all. It returns true for a list that
// has none and no filter: the handler then sets Empty or Pager.Empty to the first step.
func (l *listing) rows(shown int, total int64) (none bool) {
	p, f, first := &l.Pager, l.r.format, int64(l.offset())+1
	p.Words = f.plural(total, l.one, l.many)
	switch {
	case shown > 0 && total > int64(shown):
		p.Words = l.r.say("%s–%s of %s", f.Count(first), f.Count(first+int64(shown)-1), p.Words)
	case shown == 0 && total > 0 && l.page > 1:
		p.Last = strings.TrimPrefix(l.numbered(int((total+int64(l.size)-1)/int64(l.size))), prefix)
	}
	if l.page > 1 {
		p.Newer = l.numbered(l.page - 1)
	}
	if l.page > 2 {
		p.First = l.with()
	}
	if shown > 0 && int64(l.offset()+shown) < total {
		p.Older = l.numbered(l.page + 1)
	}
	return l.noRows(shown, l.narrowed())
}

// rowsAfter is rows for a list without numbers of pages: the parameter cursor says where a page begins, next where
// the next one does, "" for none.
func (l *listing) rowsAfter(shown int, cursor, next string) (none bool) {
	p, later := &l.Pager, l.given.Get(cursor) != ""
	p.Words = l.r.say("%s on this page", l.r.format.plural(int64(shown), l.one, l.many))
	if later {
		p.First = l.with()
	}
	if next != "" {
		p.Older = l.with(cursor, next)
		if shown == 0 {
			p.Words = "Nothing found so far; the search goes on with older entries"
		}
	}
	return l.noRows(shown, later || l.narrowed())
}

func (l *listing) noRows(shown int, narrowed bool) bool {
	if shown > 0 || l.Pager.Older != "" {
		return false
	}
	if narrowed {
		l.Pager.Empty = &empty{Icon: "search", Head: l.r.say("No %s matches", l.one),
			Text: "Take a filter away, or search for something else.", Label: l.r.say("Show all %s", l.many), To: prefix + l.path}
	}
	return !narrowed
}

// show is the answer with the page: of a page after the last one, as when the rows of a last page have left the list,
// it leads to the last one.
func (l *listing) show(page screen) answer {
	if l.Pager.Last != "" {
		return answer{to: l.Pager.Last}
	}
	out := show(page)
	if l.Pager.Wrong != "" {
		out.status = http.StatusBadRequest
	}
	return out
}
