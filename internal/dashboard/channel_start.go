package dashboard

import (
	"net/url"
	"slices"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/stock"
)

// startRoutes set up the channel of a platform, step by step, before it is switched on: until then it is inactive, and
// nothing is pulled or pushed. Answers are stored in the channel, so that the steps can be left and gone on with.
var startRoutes = []*route{
	{method: "GET", path: "/connect/{id}", scope: "write:channels", serve: on((*request).channelToStart, (*Dashboard).showStart)},
	{method: "POST", path: "/connect/{id}", scope: "write:channels", serve: on((*request).channelToStart, (*Dashboard).tryChannel)},
	{method: "GET", path: "/connect/{id}/stock", scope: "write:channels", serve: on((*request).channelToStart, (*Dashboard).showStartStock)},
	{method: "POST", path: "/connect/{id}/stock", scope: "write:channels", serve: on((*request).channelToStart, (*Dashboard).saveStartStock)},
	{method: "GET", path: "/connect/{id}/orders", scope: "write:channels", serve: on((*request).channelToStart, (*Dashboard).showStartOrders)},
	{method: "POST", path: "/connect/{id}/orders", scope: "write:channels", serve: on((*request).channelToStart, (*Dashboard).saveStartOrders)},
	{method: "GET", path: "/connect/{id}/products", scope: "write:channels", serve: on((*request).channelToStart, (*Dashboard).showStartProducts)},
	{method: "GET", path: "/connect/{id}/on", scope: "write:channels", serve: on((*request).channelToStart, (*Dashboard).showStartOn)},
	{method: "POST", path: "/connect/{id}/on", scope: "write:channels", serve: on((*request).channelToStart, (*Dashboard).startChannel)},
}

// startView is what templates/channel_start.html shows: one step.
type startView struct {
	Steps   []step
	At      string // the first page of the steps
	Head    string
	Text    string
	Tested  *testedView
	Test    *form  // tests the connection
	Edit    *form  // the name and the credentials
	Form    *form  // the settings of a step
	Choice  *field // which products
	Action  string
	Summary []pair
	On      *form  // switches the channel on
	Label   string // of its button
	Back    string // the step before, "" for none
	Next    string // the step behind, where nothing is to be entered
}

// startSteps are the names of the steps.
var startSteps = []string{"Connection", "Stock", "Orders", "Products", "Switch on"}

// channelToStart reads the channel of the path. Errors: NotFound, also for a custom channel, which is never switched on.
func (r *request) channelToStart() (channels.Channel, error) {
	c, err := r.channelOf()
	if err == nil && c.Platform == channels.Custom {
		err = channels.Missing()
	}
	return c, err
}

// startsAt is the first page of the steps of a channel, below the prefix.
func startsAt(c channels.Channel) string { return "/connect/" + string(c.ID) }

// toStart reports whether a channel was never on, so that its steps can be gone on with.
func toStart(c channels.Channel, s channelsync.State) bool {
	return c.Platform != channels.Custom && c.Status == channels.Inactive && c.LastSyncAt == 0 && s.PulledAt == 0
}

// startPage is the page of a step, by its number from 0. A channel that is on has its own page instead.
func (r *request) startPage(c channels.Channel, at int, view startView) (answer, error) {
	if c.Status != channels.Inactive {
		return answer{to: "/channels/" + string(c.ID), flash: &flash{Tone: "good", Text: r.say("%s is on", c.Name)}}, nil
	}
	view.At, view.Head = prefix+startsAt(c), startSteps[at]
	for i, label := range startSteps {
		s := step{Label: label}
		if i < at {
			s.State = "done"
		} else if i == at {
			s.State = "at"
		}
		view.Steps = append(view.Steps, s)
	}
	return show(screen{Template: "channel_start", Title: r.say("Set up %s", c.Name), Section: "/channels",
		Crumbs: []crumb{{"Channels", "/channels"}, {c.Name, "/channels/" + string(c.ID)}, {startSteps[at], ""}}, Data: view}), nil
}

// showStart serves GET /connect/{id}: the connection.
func (d *Dashboard) showStart(r *request, c channels.Channel) (answer, error) {
	return d.connectionPage(r, c, nil)
}

// connectionPage is the step of the connection; tested is the result of a test, nil before one.
func (d *Dashboard) connectionPage(r *request, c channels.Channel, tested *testedView) (answer, error) {
	view := startView{Tested: tested, Test: r.form(startsAt(c)),
		Text: "Nothing leaves and nothing comes in before you switch the channel on, in the last step. You can leave these pages and come back."}
	if tested != nil && tested.Callout.Tone == "good" {
		view.Next = prefix + startsAt(c) + "/stock"
		return r.startPage(c, 0, view)
	}
	view.Edit = d.channelForm(r, "/channels/"+string(c.ID), c.Platform, c.Name, true)
	if tested != nil {
		view.Edit.refuseCredential(tested.Callout.Text)
	}
	return r.startPage(c, 0, view)
}

// tryChannel serves POST /connect/{id}: it tests the connection of a channel that is not on yet.
func (d *Dashboard) tryChannel(r *request, c channels.Channel) (answer, error) {
	if c.Status != channels.Inactive {
		return r.startPage(c, 0, startView{})
	}
	result, err := d.Commerce.TryChannel(r.http.Context(), r.store(), c)
	if err != nil {
		return answer{}, err
	}
	r.http.PostForm = url.Values{} // the page has new forms
	return d.connectionPage(r, c, viewOfTest(r, result, ""))
}

// startForm is a form with some of a channel's settings, by their names.
func (d *Dashboard) startForm(r *request, c channels.Channel, action string, names ...string) (*form, error) {
	var warehouses []stock.Warehouse
	err := r.read(func(tx *db.Tx) (err error) {
		warehouses, _, err = stock.Warehouses(tx, maxChoices, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := d.rulesOf(r, c, warehouses).fields
	return r.editing(action, slices.DeleteFunc(all, func(in field) bool {
		return !slices.Contains(names, strings.TrimPrefix(in.Name, "settings."))
	})...), nil
}

// saveStart stores the settings of a step, and goes on to the next one.
func (d *Dashboard) saveStart(r *request, c channels.Channel, f *form, show func(*request, channels.Channel) (answer, error), next string) (answer, error) {
	page := func(r *request) (answer, error) { return show(r, c) }
	return r.submit(f, page, func(f *form) (answer, error) {
		draft := drafts.ReadChannelChange(f.Object())
		if err := f.Object().Err(); err != nil {
			return answer{}, err
		}
		return d.saveRules(r, c, commerce.ChannelDraft{Settings: draft.Settings}, redirect(startsAt(c)+next, ""))
	})
}

// stockForm are the settings of the step of the stock.
func (d *Dashboard) stockForm(r *request, c channels.Channel) (*form, error) {
	return d.startForm(r, c, startsAt(c)+"/stock", "stock", "stockBuffer", "warehouses")
}

// showStartStock serves GET /connect/{id}/stock.
func (d *Dashboard) showStartStock(r *request, c channels.Channel) (answer, error) {
	f, err := d.stockForm(r, c)
	if err != nil {
		return answer{}, err
	}
	return r.startPage(c, 1, startView{Form: f, Back: prefix + startsAt(c), Text: "Which stock the shop shows."})
}

// saveStartStock serves POST /connect/{id}/stock.
func (d *Dashboard) saveStartStock(r *request, c channels.Channel) (answer, error) {
	f, err := d.stockForm(r, c)
	if err != nil {
		return answer{}, err
	}
	return d.saveStart(r, c, f, d.showStartStock, "/orders")
}

// ordersForm are the settings of the step of the orders.
func (d *Dashboard) ordersForm(r *request, c channels.Channel) (*form, error) {
	return d.startForm(r, c, startsAt(c)+"/orders", "ordersFrom")
}

// showStartOrders serves GET /connect/{id}/orders.
func (d *Dashboard) showStartOrders(r *request, c channels.Channel) (answer, error) {
	f, err := d.ordersForm(r, c)
	if err != nil {
		return answer{}, err
	}
	return r.startPage(c, 2, startView{Form: f, Back: prefix + startsAt(c) + "/stock", Text: "From when the shop's orders come in."})
}

// saveStartOrders serves POST /connect/{id}/orders.
func (d *Dashboard) saveStartOrders(r *request, c channels.Channel) (answer, error) {
	f, err := d.ordersForm(r, c)
	if err != nil {
		return answer{}, err
	}
	return d.saveStart(r, c, f, d.showStartOrders, "/products")
}

// What is published when the channel is switched on: nothing, or all products for sale, or those of a category, whose id
// is the value then.
const (
	startWithNone = "none"
	startWithAll  = "all"
)

// showStartProducts serves GET /connect/{id}/products.
func (d *Dashboard) showStartProducts(r *request, c channels.Channel) (answer, error) {
	options := []option{{Value: startWithAll, Label: "All products that are for sale"}, {Value: startWithNone, Label: "None yet"}}
	err := r.read(func(tx *db.Tx) error {
		categories, _, err := catalog.ListCategories(tx, catalog.CategoryFilter{Limit: maxChoices})
		for _, one := range categories {
			options = append(options, option{Value: string(one.ID), Label: r.say("Those for sale of %s", one.Name)})
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	in := &field{Form: "start", Name: "products", Label: "Products", Kind: "select", Value: r.http.URL.Query().Get("products"), Options: options,
		Hint: "You can publish more at any time, in the list of products."}
	in.choose()
	return r.startPage(c, 3, startView{Choice: in, Action: prefix + startsAt(c) + "/on", Back: prefix + startsAt(c) + "/orders",
		Text: "Which products go on sale in the shop when you switch it on."})
}

// startChoice is which products an address or a form chooses; ok is false for none.
func startChoice(products string) (choice commerce.ProductChoice, ok bool) {
	choice.Filter.Statuses = []catalog.Status{catalog.Active}
	if category, isID := id.Parse[id.Category](products); isID {
		choice.Filter.Category = category
		return choice, true
	}
	return choice, products == startWithAll
}

// showStartOn serves GET /connect/{id}/on: what was chosen, and the button that switches the channel on.
func (d *Dashboard) showStartOn(r *request, c channels.Channel) (answer, error) {
	products := r.http.FormValue("products")
	words, category, total := "None yet", "", int64(0)
	err := r.read(func(tx *db.Tx) error {
		choice, any := startChoice(products)
		if !any {
			return nil
		}
		choice.Filter.Sort, choice.Filter.Limit = catalog.ByCreation, 1
		_, n, err := catalog.Page(tx, choice.Filter)
		total = n
		if choice.Filter.Category != "" && err == nil {
			one, missing := catalog.CategoryByID(tx, choice.Filter.Category)
			category, err = one.Name, ignoreMissing(missing)
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	if total > 0 {
		words = r.format.plural(total, "product", "products")
		if category != "" {
			words += r.say(" in %s", category)
		}
	}
	f, err := d.startForm(r, c, startsAt(c)+"/on", "stock", "stockBuffer", "warehouses", "ordersFrom")
	if err != nil {
		return answer{}, err
	}
	view := startView{Back: prefix + startsAt(c) + "/products?products=" + url.QueryEscape(products), Label: "Switch on",
		On: r.another(startsAt(c)+"/on", hiddenField("products", products)), Text: "From now on orders come in, and stock, prices and products go out."}
	view.Summary = append(summaryOf(f), pair{Name: "Products", Value: words})
	return r.startPage(c, 4, view)
}

// summaryOf are the values of a form in words.
func summaryOf(f *form) (list []pair) {
	for _, in := range f.Fields {
		var words []string
		for _, o := range in.Options {
			if o.On {
				words = append(words, strings.TrimSuffix(o.Label, " (default)"))
			}
		}
		value := strings.Join(words, ", ")
		switch {
		case len(words) == 0 && in.Kind == "checks":
			value = "All"
		case in.Kind != "select" && in.Kind != "checks" && in.Value != "":
			value = strings.Replace(in.Value, "T", " ", 1)
		case in.Name == "settings.stockBuffer":
			value = "0"
		case in.Name == "settings.ordersFrom":
			value = "When you created the channel"
		}
		list = append(list, pair{Name: in.Label, Value: value})
	}
	return list
}

// startChannel serves POST /connect/{id}/on: the channel is active from now on, and a job publishes the chosen
// products on it.
func (d *Dashboard) startChannel(r *request, c channels.Channel) (answer, error) {
	if c.Status != channels.Inactive {
		return r.startPage(c, 4, startView{})
	}
	choice, publishes := startChoice(r.http.PostForm.Get("products"))
	if publishes {
		if err := r.caller().Needs("write:products"); err != nil {
			return answer{}, err
		}
	}
	active := channels.Active
	return d.write(r, func(tx *db.Tx) (answer, error) {
		if _, err := d.Commerce.UpdateChannel(tx, r.caller(), c.ID, commerce.Expected{}, commerce.ChannelDraft{Status: &active}); err != nil {
			return answer{}, err
		}
		out := redirect("/channels/"+string(c.ID), r.say("Switched on %s. Orders come in within minutes", c.Name))
		if !publishes {
			return out, nil
		}
		err := d.Commerce.PublishFirst(tx, r.caller(), c.ID, choice)
		return out, err
	})
}
