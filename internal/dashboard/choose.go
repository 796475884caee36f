package dashboard

import (
	"maps"
	"slices"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
)

// How many channels or categories a filter offers where it stands, in a menu or in a select. Of more, it leads to a
// page to choose one from: each choice is an element of the list's page (decision 19), and a long menu does not fit
// on a screen.
const (
	mostInMenu   = 10
	mostInSelect = 100
)

// choosing and termName are parameters of a list's address: which filter is being chosen, and what is searched for
// among its choices.
const (
	choosing = "choose"
	termName = "find"
)

// choiceWords are what the choices of a filter are called.
var choiceWords = map[string]struct{ one, many string }{"channelId": {"channel", "channels"}, "categoryId": {"category", "categories"},
	"tag": {"tag", "tags"}, "assignedTo": {"user", "users"}}

// chooseView is what templates/choose.html shows.
type chooseView struct {
	*listing
	Links []place
}

// place is a choice with its ancestors.
type place struct {
	tab
	Above string
}

// chooses reports whether the address is about the choices of one of these filters, instead of the list.
func (r *request) chooses(filters ...string) bool {
	return slices.Contains(filters, r.http.URL.Query().Get(choosing))
}

// choose is the page that a filter of a list is chosen from: each choice leads to the list, which is called title.
func (d *Dashboard) choose(r *request, list *listing, title string) (answer, error) {
	name, term := list.query.Text(choosing), list.query.Text(termName)
	if err := list.query.Err(); err != nil {
		return answer{}, err
	}
	one, many := choiceWords[name].one, choiceWords[name].many
	l := r.listing(list.path, one, many, append(slices.Collect(maps.Keys(list.values)), choosing, termName)...)
	l.Swap = "choices"
	l.search(termName, r.say("Search %s", many), "Name")
	view := chooseView{listing: l, Links: []place{{tab: tab{Label: r.say("Any %s", one), To: list.with(name, "")}}}}
	add := func(label, above, value string) {
		to := tab{Label: label, To: list.with(name, value), Current: list.values.Get(name) == value}
		view.Links = append(view.Links, place{to, above})
	}
	err := r.readWide(func(tx *db.Tx) error {
		if name == "channelId" {
			list, _, err := channels.List(tx, maxChoices, 0)
			list = slices.DeleteFunc(list, func(c channels.Channel) bool {
				return !strings.Contains(strings.ToLower(c.Name), strings.ToLower(term))
			})
			names := r.format.names()
			slices.SortFunc(list, func(a, b channels.Channel) int { return names.CompareString(a.Name, b.Name) })
			for _, c := range list {
				add(c.Name, channels.PlatformName(c.Platform), string(c.ID))
			}
			l.Pager.Words = r.format.plural(int64(len(list)), one, many)
			return err
		}
		if name == "tag" || name == "assignedTo" {
			choices, err := r.tagChoices(tx, name)
			for _, c := range choices {
				if strings.Contains(strings.ToLower(c.Label), strings.ToLower(term)) {
					add(c.Label, "", c.Value)
				}
			}
			l.Pager.Words = r.format.plural(int64(len(view.Links)-1), one, many)
			return err
		}
		list, all, err := catalog.ListCategories(tx, catalog.CategoryFilter{Search: term, Limit: l.size, Offset: l.offset()})
		if err != nil {
			return err
		}
		shown := make([]id.Category, len(list))
		for i, c := range list {
			shown[i] = c.ID
		}
		above, err := catalog.WithParents(tx, shown)
		for _, c := range list {
			add(c.Name, pathOf(c, above), string(c.ID))
		}
		l.rows(len(list), all)
		l.Pager.Empty = nil // the first link is always there
		return err
	})
	return l.show(screen{Template: "choose", Title: r.say("Choose a %s", one), Section: l.path, Crumbs: []crumb{{title, list.first()}},
		Data: view}), err
}
