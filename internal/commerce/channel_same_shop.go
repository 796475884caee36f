package commerce

import (
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// otherChannels are an account's other channels on the same platform.
type otherChannels struct {
	twins   []id.Channel    // of the same shop: the channel that has an order first stores it, and no other
	markets map[string]bool // marketplaces of the same seller that have a channel of their own
}

// maxChannels is how many channels of an account are compared.
const maxChannels = 1000

// otherChannels finds the account's other channels on the platform, once in a run.
func (r *channelRun) otherChannels(tx *db.Tx) (*otherChannels, error) {
	if r.others != nil {
		return r.others, nil
	}
	found := &otherChannels{markets: map[string]bool{}}
	own, err := channelsync.ByChannel(tx, r.channel.ID)
	if err != nil {
		return nil, err
	}
	all, _, err := channels.List(tx, maxChannels, 0)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.ID == r.channel.ID || c.Platform != r.channel.Platform {
			continue
		}
		opened, seller, twin, err := r.compare(tx, r.channel, own.Account(), c)
		if err != nil {
			return nil, err
		}
		if twin {
			found.twins = append(found.twins, c.ID)
		}
		if seller && c.Receives() {
			found.markets[strings.ToUpper(opened.Value("marketplaceId"))] = true
		}
	}
	r.others = found
	return found, nil
}

// twins are the other channels of the same shop that the run knows.
func (r *channelRun) twins() []id.Channel {
	if r.others == nil {
		return nil
	}
	return r.others.twins
}

// compare opens b, and reports whether two channels of a platform have the same seller, as far as tests have found
// out, and the same shop. account is the platform's id of a's account, "" if unknown.
func (s *Service) compare(tx *db.Tx, a channels.Channel, account string, b channels.Channel) (opened connector.Channel, seller, twin bool,
	err error) {
	known, ok := s.Connectors.ByPlatform(a.Platform)
	if !ok {
		return opened, false, false, nil
	}
	its, err := channelsync.ByChannel(tx, b.ID)
	if err != nil {
		return opened, false, false, err
	}
	first, err := s.Opened(a)
	if err != nil {
		return opened, false, false, err
	}
	if opened, err = s.Opened(b); err != nil {
		return opened, false, false, err
	}
	seller = account != "" && account == its.Account()
	profile := known.Profile()
	return opened, seller, (seller || profile.NamesShop()) && profile.SameShop(first, opened), nil
}

// isOurs reports whether an order that is not here yet belongs to the channel: no other channel of the same shop has
// it, and its marketplace has no channel of its own. Orders that a caller names are taken from any marketplace.
func (r *channelRun) isOurs(tx *db.Tx, order connector.Order, from time.Time) (bool, error) {
	others, err := r.otherChannels(tx)
	if err != nil {
		return false, err
	}
	if elsewhere, err := anyHas(tx, others.twins, order.ExternalID); err != nil || elsewhere {
		return false, err
	}
	return order.Market == "" || from.IsZero() || !others.markets[strings.ToUpper(order.Market)], nil
}

// anyHas reports whether one of some channels has an order of their platform.
func anyHas(tx *db.Tx, twins []id.Channel, external string) (bool, error) {
	for _, c := range twins {
		if has, err := orders.ByPlatformID(tx, c, external); err != nil || has != "" {
			return has != "", err
		}
	}
	return false, nil
}

// twinOf is the name of an active channel that has the same shop as c, "" for none.
func (s *Service) twinOf(tx *db.Tx, c channels.Channel, account string) (name string, err error) {
	all, _, err := channels.List(tx, maxChannels, 0)
	if err != nil {
		return "", err
	}
	for _, other := range all {
		if other.ID == c.ID || other.Platform != c.Platform || !other.Receives() {
			continue
		}
		if _, _, twin, err := s.compare(tx, c, account, other); twin || err != nil {
			return other.Name, err
		}
	}
	return "", nil
}
