package dashboard

import (
	"slices"
	"strings"

	"entrepot/internal/accounts"
)

// shell surrounds every page.
type shell struct {
	Account string
	Tag     string // of the account
	Plan    string
	User    string
	Groups  []navGroup
	Foot    []navItem
	Quick   []navItem // at the bottom of a phone
	LogOut  *form
	Version string // of the program
}

// navGroup is a part of the sidebar under its heading.
type navGroup struct {
	Label string
	Items []navItem
}

// navItem is a link of the sidebar.
type navItem struct {
	Label, Icon, Path, Scope string // Path is below the prefix; without the scope the item is hidden
	Current                  bool
	Count                    string // of open work, "" for none
	Waits                    string // what the open work is: "to ship"
	Bad                      bool   // the count is of failures
}

// navigation is the sidebar. An item is shown if its page exists and the user may see it.
var navigation = []navGroup{
	{"", []navItem{
		{Label: "Overview", Icon: "home", Path: "/"},
		{Label: "Orders", Icon: "order", Path: "/orders", Scope: "read:orders"},
		{Label: "Returns", Icon: "undo", Path: "/returns", Scope: "read:orders"},
		{Label: "Products", Icon: "tag", Path: "/products", Scope: "read:products"},
		{Label: "Stock", Icon: "stock", Path: "/stock", Scope: "read:inventory"},
		{Label: "Customers", Icon: "people", Path: "/customers", Scope: "read:customers"}}},
	{"Channels", []navItem{
		{Label: "Channels", Icon: "plug", Path: "/channels", Scope: "read:channels"},
		{Label: "Jobs", Icon: "retry", Path: "/jobs", Scope: "read:channels"}}},
	{"Integrations", []navItem{
		{Label: "Webhooks", Icon: "hook", Path: "/webhooks", Scope: "read:webhooks"},
		{Label: "API keys", Icon: "key", Path: "/keys"},
		{Label: "Event log", Icon: "pulse", Path: "/events", Scope: "read:webhooks"}}},
}

// thumbPages are the pages that a phone has within reach of the thumb, beside the menu and the search.
var thumbPages = []string{"/orders", "/products", "/stock"}

// foot is the sidebar's end.
var foot = []navItem{{Label: "Settings", Icon: "gear", Path: "/settings/account"}}

// shell builds what surrounds a page.
func (d *Dashboard) shell(r *request, page *screen) shell {
	if page.Bare {
		return shell{}
	}
	s := shell{Account: r.session.Account.Name, Tag: r.accountTag(), Plan: planName(r.session.Account.Plan), User: r.session.User.Name,
		LogOut: &form{Action: prefix + "/logout"}, Version: d.Version}
	counts, err := r.readWaiting()
	if err != nil { // the page works without them
		d.Log.Warn("the counts of open work were not read", "id", r.id, "error", err)
	}
	for _, group := range navigation {
		group.Items = d.visible(r, group.Items, page.Section)
		for i := range group.Items {
			group.Items[i].count(r, counts)
		}
		if len(group.Items) > 0 {
			s.Groups = append(s.Groups, group)
		}
	}
	s.Foot = d.visible(r, foot, page.Section)
	for _, item := range d.visible(r, navigation[0].Items, page.Section) {
		if slices.Contains(thumbPages, item.Path) {
			s.Quick = append(s.Quick, item)
		}
	}
	return s
}

// visible are the items that this user sees.
func (d *Dashboard) visible(r *request, items []navItem, section string) (list []navItem) {
	for _, item := range items {
		if !d.opens(r, item.Path) || item.Scope != "" && !r.caller().May(item.Scope) {
			continue
		}
		item.Current = item.Path == section
		list = append(list, item)
	}
	return list
}

// opens reports whether a page exists and the user may open it.
func (d *Dashboard) opens(r *request, path string) bool {
	for _, route := range d.routes {
		if route.method == "GET" && route.path == path && r.mayUse(route) != nil {
			return false
		}
	}
	return d.has(path)
}

// page is the address of a path below the prefix, "" if the user may not open the page of its pattern.
func (r *request) page(pattern, path string) string {
	if !r.d.opens(r, pattern) {
		return ""
	}
	return prefix + path
}

// has reports whether a page exists.
func (d *Dashboard) has(path string) bool {
	for _, route := range d.routes {
		if route.method == "GET" && (route.path == path || path == "/" && route.path == "/{$}") {
			return true
		}
	}
	return false
}

func planName(p accounts.Plan) string {
	if p == "" {
		return ""
	}
	return strings.ToUpper(string(p[:1])) + string(p[1:])
}
