package dashboard

import (
	"net/url"
	"strings"

	"entrepot/internal/analytics"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// channelView is a channel's page.
type channelView struct {
	channelCard
	Pairs     []pair
	Technical []pair // its id
	Problem   string // the newest error
	Hooks     []pair
	Form      *form
	Test      *form
	Sync      *form
	Switch    *form
	SwitchTo  string
	Delete    ask
	Start     string       // where the steps of the set-up go on, "" once the channel was on
	Publish   *publishView // nil: products cannot be published on it now, or the user may not
	Tested    *testedView
	Jobs      []jobRow
	Curl      command // for a custom channel: a command that sends an order to it
	ByHand    string  // what the merchant must do on the platform
	Address   string  // where the platform sends notifications
	NoAddress string  // why there is no address to enter there
}

// channelOf reads the channel of the path. Errors: NotFound.
func (r *request) channelOf() (channels.Channel, error) { return recordOf(r, "channel", channels.ByID) }

// showChannel serves GET /channels/{id}.
func (d *Dashboard) showChannel(r *request) (answer, error) { return d.channelPage(r, nil) }

// channelPage is a channel's page; tested is the result of a test of its connection, if one has just run.
func (d *Dashboard) channelPage(r *request, tested *testedView) (answer, error) {
	c, err := r.channelOf()
	if err != nil {
		return answer{}, err
	}
	view := channelView{Tested: tested}
	at := "/channels/" + string(c.ID)
	var count, published int64
	var sync channelsync.State
	var newest catalog.Sold
	var figures analytics.Channel
	var categories []catalog.Category
	err = r.read(func(tx *db.Tx) error {
		return tx.Together(func(tx *db.Tx) (err error) {
			all := orders.CountedFilter{Channel: c.ID}
			_, count, err = orders.ListHeads(tx, orders.Filter{CountedFilter: all, Sort: orders.ByCreatedAt, Limit: 1})
			return err
		}, func(tx *db.Tx) error {
			done, err := analytics.Channels(tx, r.session.Account.Currency, r.format.lastDays(channelDays))
			for _, found := range done {
				if found.ID == c.ID {
					figures = found
				}
			}
			return err
		}, func(tx *db.Tx) error {
			counts, err := catalog.CountPublications(tx)
			published = counts[c.ID].There()
			return err
		}, func(tx *db.Tx) (err error) {
			newest, err = newestProduct(tx)
			return err
		}, func(tx *db.Tx) (err error) {
			categories, _, err = catalog.ListCategories(tx, catalog.CategoryFilter{Limit: maxChoices})
			return err
		}, func(tx *db.Tx) (err error) {
			sync, err = channelsync.ByChannel(tx, c.ID)
			return err
		}, func(tx *db.Tx) error {
			list, _, err := jobs.List(tx, jobs.Filter{Channel: c.ID, Limit: 8})
			view.Jobs = r.jobRows(list)
			return err
		})
	})
	view.channelCard = r.channelCard(c, figures, sync)
	view.syncParts(r, c, sync)
	view.Technical = []pair{{Name: "Channel id", Value: string(c.ID), Mono: true}}
	view.Pairs = append([]pair{{Name: "Platform", Value: view.Platform},
		{Name: "Orders", Value: r.format.Count(count), To: r.page("/orders", "/orders?channelId="+string(c.ID))},
		{Name: "Published products", Value: view.Published}}, view.Pairs...)
	if found, ok := d.Commerce.Connectors.ByPlatform(c.Platform); ok {
		if view.ByHand = found.Profile().ByHand; d.PublicURL == "" {
			view.NoAddress = sentence(commerce.NoPublicAddress) + "."
		}
		view.Address = strings.TrimSuffix(d.PublicURL, "/") + "/api/v1/webhooks/platform/" + string(c.ID) + "/" + found.Profile().Slug
	}
	if view.Custom {
		view.Curl = r.curl(firstCall(newest, string(c.ID)))
	}
	view.Form = d.channelForm(r, at, c.Platform, c.Name, true)
	if tested != nil && tested.Callout.Tone == "bad" {
		view.Problem = "" // what is wrong now is said
		if c.Status == channels.NeedsReauth {
			view.Form.refuseCredential(tested.Callout.Text)
		}
	}
	view.Test, view.Sync, view.Switch = r.form(at+"/test"), syncForm(r, at), r.form(at+"/status", field{Name: "status", Kind: "hidden"})
	view.SwitchTo = "Activate"
	view.Switch.Fields[0].Value = string(channels.Active)
	if c.Status != channels.Inactive {
		view.SwitchTo = "Deactivate"
		view.Switch.Fields[0].Value = string(channels.Inactive)
	}
	if view.Custom && c.Status != channels.Inactive {
		view.Switch = nil // it is not synchronised: nothing would stop
	}
	if c.Receives() && r.caller().May("write:products") && r.caller().May("write:channels") {
		view.Publish = r.publishParts(categories)
	}
	if toStart(c, sync) && r.caller().May("write:channels") {
		view.Start = prefix + startsAt(c)
	}
	view.Delete = r.channelDelete(c, at, count, published)
	return show(screen{Template: "channel", Title: c.Name, Section: "/channels", Crumbs: []crumb{{"Channels", "/channels"}, {c.Name, ""}},
		Data: view}), err
}

// refuseCredential shows the platform's message about refused credentials at the one that it names, else at the first
// secret.
func (f *form) refuseCredential(message string) {
	var first *field
	for _, in := range f.Fields {
		named := in.Kind == "password" && strings.Contains(strings.ToLower(message), strings.ToLower(in.Label))
		if named || first == nil && in.Kind == "password" {
			first = in
		}
		if named {
			break
		}
	}
	if first != nil {
		first.Error = message
	}
}

// syncParts adds the state of the platform's synchronisation; a custom channel has none.
func (v *channelView) syncParts(r *request, c channels.Channel, s channelsync.State) {
	if v.Custom {
		return
	}
	if u, err := url.Parse(s.Address()); err == nil && u.Host != "" {
		v.Pairs = append(v.Pairs, pair{Name: "Address", Value: u.Host + strings.TrimSuffix(u.Path, "/"), To: s.Address()})
	}
	v.Pairs = append(v.Pairs, pair{Name: "Last synchronised", At: r.format.Stamp(c.LastSyncAt)})
	if s.PullAt > 0 && c.Status != channels.Inactive {
		v.Pairs = append(v.Pairs, pair{Name: "Orders pulled next", At: r.format.Stamp(s.PullAt)})
	}
	v.Problem = sentence(s.LastError)
	active := int64(0)
	for _, hook := range s.Hooks() {
		v.Hooks = append(v.Hooks, pair{Name: hook.Topic, Value: hook.Status})
		if hook.Status == "active" {
			active++
		}
	}
	if all := int64(len(v.Hooks)); active < all {
		v.Pairs = append(v.Pairs, pair{Name: "Notifications on", Value: r.say("%s of %s", r.format.Count(active), r.format.Count(all))})
	}
}

// publishView is the part of a channel's page that publishes many products: all, those of a category, or those chosen
// in the list of products.
type publishView struct{ Category *field }

func (r *request) publishParts(categories []catalog.Category) *publishView {
	var options []option
	for _, c := range categories {
		options = append(options, option{Value: string(c.ID), Label: c.Name})
	}
	if options == nil {
		return &publishView{}
	}
	return &publishView{Category: selectOf("category", "Category", "All products", "", options)}
}

// channelDelete says what is deleted with a channel, and what stays.
func (r *request) channelDelete(c channels.Channel, at string, count, published int64) ask {
	f := r.form(at+"/delete", field{Name: "name", Label: "Type the channel's name to confirm", Required: true, Complete: "off"})
	a := newAsk("delete-channel", r.say("Delete %s?", c.Name), "", "Delete channel", f)
	a.Text = r.say("This deletes %s and %s and stops its keys at once. Reserved stock becomes available again. Products stay.",
		r.format.plural(count, "order", "orders"), r.format.plural(published, "publication", "publications"))
	if c.Platform != channels.Custom {
		a.Text = r.say("This deletes %s and %s here. The shop keeps what it has. To keep the orders, deactivate the channel instead.",
			r.format.plural(count, "order", "orders"), r.format.plural(published, "publication", "publications"))
	}
	return a
}
