package dashboard

import (
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/analytics"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/db"
)

// channelRoutes are where orders come from and products go to.
var channelRoutes = []*route{
	{method: "GET", path: "/channels", scope: "read:channels", serve: (*Dashboard).showChannels},
	{method: "GET", path: "/channels/new", scope: "write:channels", serve: (*Dashboard).showNewChannel},
	{method: "POST", path: "/channels/new", scope: "write:channels", serve: (*Dashboard).createChannel},
	{method: "GET", path: "/channels/{id}", scope: "read:channels", serve: (*Dashboard).showChannel},
	{method: "POST", path: "/channels/{id}", scope: "write:channels", serve: on((*request).channelOf, (*Dashboard).changeChannel)},
	{method: "POST", path: "/channels/{id}/status", scope: "write:channels", serve: on((*request).channelOf, (*Dashboard).switchChannel)},
	{method: "POST", path: "/channels/{id}/test", scope: "write:channels", serve: on((*request).channelOf, (*Dashboard).testChannel)},
	{method: "POST", path: "/channels/{id}/sync", scope: "write:channels", serve: (*Dashboard).syncChannel},
	{method: "POST", path: "/channels/{id}/delete", scope: "write:channels", serve: on((*request).channelOf, (*Dashboard).deleteChannel)},
}

// channelCard is a channel of the list. A custom channel shows no state of synchronisation, because it is never
// synchronised.
type channelCard struct {
	ID, Name, Platform, To string
	Custom                 bool
	Badge                  badge
	Broken                 bool // new credentials are wanted
	LastSync               stamp
	Orders, Published      string
	Failed                 string // failed publications and jobs, "" for none
}

type channelsView struct {
	*listing
	Cards []channelCard
}

// channelDays is the span of the figures on a card, whole days as on the overview.
const channelDays = 30

// channelBadge is the badge of a channel's state.
func channelBadge(c channels.Channel) badge {
	switch c.Status {
	case channels.Active:
		return badge{"good", "ok", "Active"}
	case channels.Inactive:
		return badge{"", "cancelled", "Inactive"}
	case channels.NeedsReauth:
		return badge{"bad", "fail", "Sign in again"}
	case channels.Expiring:
		return badge{"warn", "wait", "Access ends soon"}
	}
	return badge{"bad", "fail", "Error"}
}

// brokenChannel reports whether a channel waits for new credentials, or soon will.
func brokenChannel(c channels.Channel) bool {
	return c.Status == channels.NeedsReauth || c.Status == channels.Expiring || c.Status == channels.Error
}

// showChannels serves GET /channels.
func (d *Dashboard) showChannels(r *request) (answer, error) {
	l := r.listing("/channels", "channel", "channels")
	view := channelsView{listing: l}
	err := r.read(func(tx *db.Tx) error {
		list, total, err := channels.List(tx, l.size, l.offset())
		if err != nil {
			return err
		}
		if l.rows(len(list), total) {
			l.Empty = new(r.firstStep("write:channels", empty{Icon: "plug", Head: "No channels yet",
				Text:  "A channel is a shop, a marketplace, or a system of your own: orders come from it, products go to it.",
				Label: "Add a channel", To: prefix + "/channels/new", Curl: r.curl("write:channels "+strings.Join(accounts.ChannelScopes, " "),
					"POST", "/channels", `{"platform":"CUSTOM","name":"ERP"}`)}))
		}
		done, err := analytics.Channels(tx, r.session.Account.Currency, r.format.lastDays(channelDays))
		if err != nil {
			return err
		}
		figures := map[id.Channel]analytics.Channel{}
		for _, c := range done {
			figures[c.ID] = c
		}
		ids := make([]id.Channel, len(list))
		for i := range list {
			ids[i] = list[i].ID
		}
		states, err := channelsync.ByChannels(tx, ids)
		if err != nil {
			return err
		}
		for _, c := range list {
			view.Cards = append(view.Cards, r.channelCard(c, figures[c.ID], states[c.ID]))
		}
		return nil
	})
	return l.show(screen{Template: "channels", Title: "Channels", Section: "/channels", Data: view}), err
}

func (r *request) channelCard(c channels.Channel, figures analytics.Channel, sync channelsync.State) channelCard {
	card := channelCard{ID: string(c.ID), Name: c.Name, Platform: channels.PlatformName(c.Platform), To: prefix + "/channels/" + string(c.ID),
		Custom: c.Platform == channels.Custom, Badge: channelBadge(c), Broken: brokenChannel(c), LastSync: r.format.Stamp(c.LastSyncAt),
		Orders: r.format.Count(figures.Orders), Published: r.format.Count(figures.Published)}
	if !card.Custom && c.Status == channels.Active && !sync.Tested() {
		card.Badge = badge{"warn", "wait", "Not tested"}
	}
	var failed []string
	if figures.Failed > 0 {
		failed = append(failed, r.format.plural(figures.Failed, "publication", "publications"))
	}
	if figures.FailedJobs > 0 {
		failed = append(failed, r.format.plural(figures.FailedJobs, "job", "jobs"))
	}
	if len(failed) > 0 {
		card.Failed = r.say("%s failed", strings.Join(failed, " and "))
	}
	return card
}
