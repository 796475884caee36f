package commerce

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// ConnectionTest is the result of POST sync/test (interface §4.5.7).
type ConnectionTest struct {
	Success            bool
	Message            string
	CheckedAt          int64 // microseconds since 1970 UTC
	WebhooksRegistered []string
	Shop               *connector.Shop // nil if the test did not reach it
	Missing            []string
	Paste              *Paste // for platforms whose notifications a merchant must set up by hand
}

// testTime bounds a connection test, from the look-up of addresses to the registration of webhooks, however slow the
// platform is.
const testTime = 14 * time.Second

// CheckChannel tests that a channel's credentials may read and write, and registers webhooks to the service's public
// address base, unless that is "" (interface §4.5.7). Success makes the channel active and its orders due; refused
// credentials make it needs_reauth; without an answer nothing changes.
func (s *Service) CheckChannel(ctx context.Context, store *db.DB, c channels.Channel, base string) (ConnectionTest, error) {
	out := ConnectionTest{CheckedAt: store.Now().UnixMicro(), WebhooksRegistered: []string{}, Missing: []string{}}
	bounded, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	if problem := s.addressProblem(bounded, c); problem != "" {
		out.Message = problem
		return out, nil
	}
	c, err := s.withWebhookSecret(ctx, store, c)
	if err != nil {
		return out, err
	}
	session, failed, err := s.askShop(ctx, bounded, store, c, &out)
	switch {
	case err != nil || session == nil:
		return out, err
	case failed != nil:
		return out, s.checkFailed(ctx, store, c, failed)
	}
	shop := *out.Shop
	note, hooked := "", s.ensureWebhooks(bounded, session, c, base)
	hooked.topics = session.does.Topics
	if hooked.failed != nil {
		note = "; its notifications could not be switched on: " + message(hooked.failed)
		if len(hooked.hooks) > 0 {
			note = fmt.Sprintf("; %d of %d notifications are switched on, the others soon: ", len(hooked.hooks), len(hooked.topics)) +
				message(hooked.failed)
		}
	}
	note += s.unreachable(c, base)
	for _, hook := range hooked.hooks {
		out.WebhooksRegistered = append(out.WebhooksRegistered, hook.Topic)
	}
	if out.Paste, err = s.paste(c, base); err != nil {
		return out, err
	}
	more, err := s.shopNotes(ctx, store, c, shop)
	if err != nil {
		return out, err
	}
	note += more
	out.Success, out.Message = true, "connected to "+shopName(shop)+note
	return out, s.checkPassed(context.WithoutCancel(ctx), store, c, shop, hooked)
}

// otherCurrency warns of a shop whose currency is not the account's, because prices are sent unchanged; "" for the
// same currency, or an unknown one.
func otherCurrency(ctx context.Context, store *db.DB, c channels.Channel, shop connector.Shop) (warning string, err error) {
	if shop.Currency == "" {
		return "", nil
	}
	err = store.Read(ctx, c.Tenant, func(tx *db.Tx) error {
		account, err := accounts.Own(tx)
		if err == nil && !strings.EqualFold(account.Currency, shop.Currency) {
			warning = "; prices here are in " + account.Currency + " and the shop's in " + shop.Currency +
				": they are sent as they are, times settings.priceFactor"
		}
		return err
	})
	return warning, err
}

// twinNote warns of another channel of the same shop, "" for none.
func (s *Service) twinNote(ctx context.Context, store *db.DB, c channels.Channel, shop connector.Shop) (note string, err error) {
	err = store.Read(ctx, c.Tenant, func(tx *db.Tx) error {
		name, err := s.twinOf(tx, c, shop.Account)
		if note = ""; name != "" {
			note = "; the channel " + name + " has the same shop: each of its orders is in one of them, and both set its stock and prices"
		}
		return err
	})
	return note, err
}

// shopName is what people call a shop.
func shopName(shop connector.Shop) string {
	for _, name := range []string{shop.Name, shop.URL} {
		if name != "" {
			return name
		}
	}
	return "the shop"
}

// message is the text of an error for a merchant.
func message(err error) string { return connector.FailureOf(err).Error() }

// addressProblem says why the channel's addresses must not be called, "" if they may. They were checked when they
// were entered, but the rules or their hosts' addresses may have changed since.
func (s *Service) addressProblem(ctx context.Context, c channels.Channel) string {
	opened, err := s.Opened(c)
	if err != nil {
		return ""
	}
	known, ok := s.Connectors.ByPlatform(c.Platform)
	if !ok {
		return ""
	}
	for _, f := range known.Profile().Known() {
		if address := opened.Value(f.Name); f.Form == connector.Target && address != "" {
			if problem := s.refused(ctx, address); problem != "" {
				return "the channel's address was refused: " + problem
			}
		}
	}
	return ""
}

// withWebhookSecret gives a channel a random secret for its notifications, if none was entered and the platform lets
// the service choose it.
func (s *Service) withWebhookSecret(ctx context.Context, store *db.DB, c channels.Channel) (channels.Channel, error) {
	known, ok := s.Connectors.ByPlatform(c.Platform)
	if !ok || !known.Profile().ChoosesWebhookSecret() {
		return c, nil
	}
	opened, err := s.Opened(c)
	if err != nil || opened.Credentials[connector.WebhookSecret] != "" {
		return c, err
	}
	err = store.Write(ctx, c.Tenant, func(tx *db.Tx) error {
		locked, err := channels.Lock(tx, c.ID)
		if err != nil {
			return err
		}
		all, err := s.mergedCredentials(locked, connector.Credentials{})
		if err != nil {
			return err
		}
		if all[connector.WebhookSecret] == "" {
			all[connector.WebhookSecret] = letters(32)
			text, err := json.Marshal(all)
			if err != nil {
				return err
			}
			if locked.Credentials, err = s.Encrypt(tx, string(text), channels.Place(c.Tenant, c.ID)); err != nil {
				return err
			}
			locked.Save(tx)
		}
		c = locked
		return nil
	})
	return c, err
}

// letters makes a random text of letters and digits, which every shop stores unchanged.
func letters(n int) string {
	const from = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	text := make([]byte, 0, n)
	for len(text) < n {
		var raw [64]byte
		_, _ = rand.Read(raw[:]) // it never fails
		for _, b := range raw {
			if int(b) < 4*len(from) && len(text) < n { // other bytes would make some letters more likely
				text = append(text, from[int(b)%len(from)])
			}
		}
	}
	return string(text)
}

// checkPassed stores the findings of a successful test, in one commit with the channel's state.
func (s *Service) checkPassed(
	ctx context.Context,
	store *db.DB,
	c channels.Channel,
	shop connector.Shop,
	hooked registration,
) error {
	return store.Write(ctx, c.Tenant, func(tx *db.Tx) error {
		locked, err := channels.Lock(tx, c.ID)
		if err != nil {
			return err
		}
		channelsync.Begin(tx, c.ID, tx.Now())
		state, err := channelsync.Lock(tx, c.ID)
		if err != nil {
			return err
		}
		same := !edited(c, locked) // otherwise the findings are not about its present credentials
		if same && locked.Status != channels.Inactive {
			locked.Status = channels.Active
			locked.Save(tx)
		}
		state.SetHooks(hooksOf(hooked.hooks, hooked.failed, hooked.topics))
		text, err := json.Marshal(shop)
		if err != nil {
			return err
		}
		if same {
			state.Shop = string(text)
		}
		state.LastError, state.HeldUntil, state.Failures = "", 0, 0
		state.CheckAt, state.PullAt = nextCheck(tx, hooked.failed), tx.Micros()
		if hooked.url != "" {
			state.HookURL = hooked.url
		}
		if !same {
			hooksOutdated(tx, &state)
			return nil
		}
		state.Save(tx)
		tx.Wake(SyncTopic)
		return nil
	})
}

// checkFailed stores the consequences of a failed test for the channel.
func (s *Service) checkFailed(ctx context.Context, store *db.DB, c channels.Channel, cause error) error {
	err := store.Write(context.WithoutCancel(ctx), c.Tenant, func(tx *db.Tx) error {
		if connector.Is(cause, connector.Unauthorized) {
			if err := s.reauth(tx, c); err != nil {
				return err
			}
		}
		channelsync.Failed(tx, c.ID, message(cause))
		return nil
	})
	if apperr.Is(err, apperr.NotFound) {
		return nil
	}
	return err
}
