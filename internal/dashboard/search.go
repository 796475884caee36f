package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// searchRoutes is the search over everything: a page, which is also the source of the command palette (Ctrl K).
var searchRoutes = []*route{{method: "GET", path: "/search", serve: (*Dashboard).search}}

// finding is something that was found; Small says more about it.
type finding struct{ Icon, Label, Small, To string }

// hits are those of one kind.
type hits struct {
	Head string
	List []finding
}

// searchView is what templates/search.html shows.
type searchView struct {
	Query   string
	Groups  []hits
	Palette bool // they are for the palette
}

// Prefix begins the ids of the groups' heads: the palette may stand over the page of the search.
func (v searchView) Prefix() string {
	if v.Palette {
		return "palette"
	}
	return "found"
}

// Bounds of the search: of the term in characters, and of what is shown of each kind.
const (
	longestTerm = 200
	mostHits    = 6
)

// search serves GET /search: pages and actions by their names, records by an id, or by number, name, e-mail, SKU: of
// each kind those that were recorded last, and the variant of a SKU. Without a term it lists the pages. The parameter
// first leads to the first result.
func (d *Dashboard) search(r *request) (answer, error) {
	term := strings.TrimSpace(r.http.URL.Query().Get("q"))
	if runes := []rune(term); len(runes) > longestTerm {
		term = string(runes[:longestTerm])
	}
	view := searchView{Query: term, Palette: r.http.URL.Query().Has("palette")}
	records, err := r.findRecords(term)
	for _, g := range append(records, hits{"Pages", d.findPages(r, term)}, hits{"Actions", d.findActions(r, term)}) {
		if len(g.List) > 0 {
			view.Groups = append(view.Groups, g)
		}
	}
	if r.http.URL.Query().Has("first") && len(view.Groups) > 0 && err == nil {
		return redirect(strings.TrimPrefix(view.Groups[0].List[0].To, prefix), ""), nil
	}
	return show(screen{Template: "search", Title: "Search", Data: view}), err
}

// findRecords looks for records of each kind that the user may see.
func (r *request) findRecords(term string) ([]hits, error) {
	kinds := []struct {
		head, scope string
		find        func(tx *db.Tx, r *request, term string) ([]finding, error)
	}{{"Orders", "read:orders", findOrders}, {"Customers", "read:customers", findCustomers}, {"Products", "read:products", findProducts},
		{"Variants", "read:products", findVariants}}
	if which, ok := id.Parse[string](term); ok {
		list, err := r.findByID(which)
		return []hits{{"Records", list}}, err
	}
	if term == "" {
		return nil, nil
	}
	found := make([]hits, len(kinds))
	err := r.read(func(tx *db.Tx) error {
		var reads []func(*db.Tx) error
		for i, kind := range kinds {
			if r.caller().May(kind.scope) {
				reads = append(reads, func(tx *db.Tx) (err error) {
					found[i].Head = kind.head
					found[i].List, err = kind.find(tx, r, term)
					return err
				})
			}
		}
		return tx.Together(reads...)
	})
	return found, err
}

func findOrders(tx *db.Tx, r *request, term string) (list []finding, err error) {
	found, err := orders.LastRecorded(tx, term, mostHits)
	for i := range found {
		list = append(list, r.orderHit(&found[i]))
	}
	return list, err
}

func (r *request) orderHit(o *orders.Order) finding {
	small := orderName(o) + " · " + statusWords[o.Status].Word + " · " + r.format.Money(o.Total, o.Currency)
	return finding{"order", orders.Number(o.Number), small, prefix + "/orders/" + string(o.ID)}
}

func findCustomers(tx *db.Tx, _ *request, term string) (list []finding, err error) {
	found, err := customers.LastRecorded(tx, term, mostHits)
	for i := range found {
		list = append(list, customerHit(&found[i]))
	}
	return list, err
}

func customerHit(c *customers.Customer) finding {
	h := finding{"people", c.Name(), c.Email, prefix + customerPath(c.ID)}
	if h.Label == "" {
		h.Label, h.Small = c.Email, c.Company
	}
	return h
}

func findProducts(tx *db.Tx, _ *request, term string) (list []finding, err error) {
	ids, err := catalog.LastRecorded(tx, term, mostHits)
	if err != nil {
		return nil, err
	}
	found, err := productsOf(tx, ids)
	for _, p := range found {
		list = append(list, productHit(p))
	}
	return list, err
}

// findVariants finds the variant of a SKU, as a scanner types it, also in small letters: its stock, or its product
// for those who may not see that.
func findVariants(tx *db.Tx, r *request, term string) (list []finding, err error) {
	skus := slices.Compact([]string{term, strings.ToUpper(term)})
	found, err := catalog.Resolve(tx, skus)
	for _, sku := range skus {
		if s, ok := found[sku]; ok && s.Variant != "" {
			list = append(list, finding{"tag", s.SKU, s.Name, cmp.Or(r.page("/stock/{sku}", strings.TrimPrefix(stockPath(s.SKU), prefix)),
				prefix+"/products/"+string(s.Product))})
		}
	}
	return list, err
}

func productHit(p *catalog.Product) finding {
	return finding{"tag", p.Name, p.SKU, prefix + "/products/" + string(p.ID)}
}

// findByID finds the record with an id, of any kind.
func (r *request) findByID(which string) (list []finding, err error) {
	add := func(h finding) { list = append(list, h) }
	kinds := []struct {
		scope string
		find  func(tx *db.Tx) error
	}{
		{"read:orders", one(orders.ByID, id.Order(which), func(o *orders.Order) { add(r.orderHit(o)) })},
		{"read:customers", one(customers.Read, id.Customer(which), func(c *customers.Customer) { add(customerHit(c)) })},
		{"read:products", one(catalog.ByID, id.Product(which), func(p *catalog.Product) { add(productHit(p)) })},
		{"read:orders", func(tx *db.Tx) error {
			found, err := orders.OfShipments(tx, []id.Shipment{id.Shipment(which)})
			for _, of := range found {
				add(finding{"truck", r.say("Shipment of %s", orders.Number(of.Number)), "", prefix + "/orders/" + string(of.Order)})
			}
			return err
		}},
		{"read:categories", one(catalog.CategoryByID, id.Category(which), func(c catalog.Category) {
			add(finding{"list", c.Name, "Category", cmp.Or(r.page("/categories/{id}", "/categories/"+which),
				r.page("/products", "/products?categoryId="+which))})
		})},
		{"read:webhooks", one(webhooks.DeliveryByID, id.Delivery(which), func(d *webhooks.Delivery) {
			add(finding{"send", r.say("Delivery of %s", d.Name), deliveryBadge(d).Word, deliveryPage(d.ID)})
		})},
		{"read:webhooks", one(webhooks.EventByID, id.Event(which), func(e webhooks.Logged) {
			add(finding{"pulse", r.say("Event %s", e.Name), e.Resource, prefix + "/events/" + which})
		})},
		{"read:webhooks", one(webhooks.ByID, id.Endpoint(which), func(e *webhooks.Endpoint) {
			add(finding{"hook", endpointName(e), e.URL, prefix + "/webhooks/" + which})
		})},
		{"read:channels", one(channels.ByID, id.Channel(which), func(c channels.Channel) {
			add(finding{"plug", c.Name, channels.PlatformName(c.Platform), prefix + "/channels/" + which})
		})},
		{"read:channels", one(jobs.ByID, id.Job(which), func(j jobs.Job) {
			if r.caller().Needs(j.Type.Scope()) == nil {
				add(finding{"retry", jobWord(j.Type), j.ChannelName, prefix + "/jobs/" + which})
			}
		})},
	}
	err = r.read(func(tx *db.Tx) error {
		var reads []func(*db.Tx) error
		for _, kind := range kinds {
			if r.caller().May(kind.scope) {
				reads = append(reads, kind.find)
			}
		}
		return tx.Together(reads...)
	})
	return list, err
}

// one reads a record by its id; a missing one is no error.
func one[K, V any](read func(*db.Tx, K) (V, error), key K, found func(V)) func(*db.Tx) error {
	return func(tx *db.Tx) error {
		v, err := read(tx, key)
		if apperr.Is(err, apperr.NotFound) {
			return nil
		}
		if err == nil {
			found(v)
		}
		return err
	}
}

// findPages are the pages of the sidebar and of the settings whose names have the term.
func (d *Dashboard) findPages(r *request, term string) (list []finding) {
	for _, group := range append(slices.Clone(navigation), navGroup{Items: foot}) {
		for _, item := range d.visible(r, group.Items, "") {
			if named(item.Label, term) {
				list = append(list, finding{item.Icon, item.Label, group.Label, prefix + item.Path})
			}
		}
	}
	for _, t := range r.settingsTabs("") {
		if named(t.Label, term) && d.opens(r, strings.TrimPrefix(t.To, prefix)) {
			list = append(list, finding{"gear", t.Label, "Settings", t.To})
		}
	}
	return list
}

// actions are the actions that can be started from anywhere.
var actions = []navItem{
	{Label: "Ship orders", Icon: "truck", Path: "/orders?status=PROCESSING,PARTIALLY_SHIPPED", Scope: "write:orders"},
	{Label: "Add a product", Icon: "plus", Path: "/products/new", Scope: "write:products"},
	{Label: "Import products", Icon: "load", Path: "/products/import", Scope: "write:products"},
	{Label: "Import prices", Icon: "load", Path: "/prices/import", Scope: "write:products"},
	{Label: "Transfer stock", Icon: "stock", Path: "/stock/transfer", Scope: "write:inventory"},
	{Label: "Import stock", Icon: "load", Path: "/inventory/import", Scope: "write:inventory"},
	{Label: "Import orders", Icon: "load", Path: "/orders/import", Scope: "write:orders"},
	{Label: "Add a customer", Icon: "plus", Path: "/customers/new", Scope: "write:customers"},
	{Label: "Add a channel", Icon: "plus", Path: "/channels/new", Scope: "write:channels"},
	{Label: "Add a webhook", Icon: "plus", Path: "/webhooks/new", Scope: "write:webhooks"},
	{Label: "Create an API key", Icon: "plus", Path: "/keys/new"},
	{Label: "Add a user", Icon: "plus", Path: "/settings/users/new", Scope: "write:users"},
	{Label: "See deliveries that failed", Icon: "hook", Path: "/webhooks/deliveries?status=failed", Scope: "read:webhooks"},
	{Label: "See what is oversold", Icon: "stock", Path: "/stock?view=oversold", Scope: "read:inventory"},
}

// findActions are the actions whose names have the term and that the user may begin.
func (d *Dashboard) findActions(r *request, term string) (list []finding) {
	for _, a := range actions {
		path, _, _ := strings.Cut(a.Path, "?")
		if named(a.Label, term) && d.opens(r, path) && (a.Scope == "" || r.caller().May(a.Scope)) {
			list = append(list, finding{a.Icon, a.Label, "", prefix + a.Path})
		}
	}
	return list
}

// named reports whether a name has all words of a term, in any case.
func named(name, term string) bool {
	name = strings.ToLower(name)
	for word := range strings.FieldsSeq(strings.ToLower(term)) {
		if !strings.Contains(name, word) {
			return false
		}
	}
	return true
}
