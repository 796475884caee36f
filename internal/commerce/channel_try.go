package commerce

import (
	"context"
	"strings"

	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// TryChannel tests that a channel's credentials may read and write, and stores nothing: the channel stays as it is, and
// no webhooks are registered. It is for a channel that is being set up; CheckChannel is for one that is on.
func (s *Service) TryChannel(ctx context.Context, store *db.DB, c channels.Channel) (ConnectionTest, error) {
	out := ConnectionTest{CheckedAt: store.Now().UnixMicro(), WebhooksRegistered: []string{}, Missing: []string{}}
	bounded, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	if out.Message = s.addressProblem(bounded, c); out.Message != "" {
		return out, nil
	}
	session, err := s.openSession(ctx, store, c)
	if err != nil {
		return out, err
	}
	if session == nil {
		out.Message = "the connector of " + c.Platform + " does not call its platform yet"
		return out, nil
	}
	shop, err := session.Test(bounded)
	if err != nil {
		out.Message = message(err)
		return out, nil
	}
	out.Shop, out.Missing = &shop, append(out.Missing, shop.Missing...)
	if len(shop.Missing) > 0 {
		out.Message = "the credentials lack rights: " + strings.Join(shop.Missing, ", ")
		return out, nil
	}
	note, err := s.shopNotes(ctx, store, c, shop)
	out.Success, out.Message = true, "connected to "+shopName(shop)+note
	return out, err
}

// shopNotes are what a merchant should know of a shop: the platform's remarks, another currency, another channel of the
// same shop.
func (s *Service) shopNotes(ctx context.Context, store *db.DB, c channels.Channel, shop connector.Shop) (note string, err error) {
	for _, list := range [][]string{shop.Notes, shop.Lacking} {
		for _, more := range list {
			note += "; " + more
		}
	}
	other, err := otherCurrency(ctx, store, c, shop)
	if err != nil {
		return note, err
	}
	twin, err := s.twinNote(ctx, store, c, shop)
	return note + other + twin, err
}
