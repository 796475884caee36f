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
	session, failed, err := s.askShop(ctx, bounded, store, c, &out)
	if err != nil || session == nil || failed != nil {
		return out, err
	}
	note, err := s.shopNotes(ctx, store, c, *out.Shop)
	out.Success, out.Message = true, "connected to "+shopName(*out.Shop)+note
	return out, err
}

// askShop asks a channel's shop, as long as bounded lasts, what the credentials may do, and notes the answer in out.
// failed is the platform's refusal, or the rights that are missing; out has its text. session is nil for a platform that
// is not called.
func (s *Service) askShop(ctx, bounded context.Context, store *db.DB, c channels.Channel, out *ConnectionTest) (
	session *platformSession, failed, err error) {
	session, err = s.openSession(ctx, store, c)
	if err != nil {
		return session, nil, err
	}
	if session == nil {
		out.Message = "the connector of " + c.Platform + " does not call its platform yet"
		return nil, nil, nil
	}
	shop, err := session.Test(bounded)
	if err != nil {
		out.Message = message(err)
		return session, err, nil
	}
	out.Shop, out.Missing = &shop, append(out.Missing, shop.Missing...)
	if len(shop.Missing) > 0 {
		out.Message = "the credentials lack rights: " + strings.Join(shop.Missing, ", ")
		failed = &connector.Failure{Kind: connector.Unauthorized, Message: out.Message}
	}
	return session, failed, nil
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
