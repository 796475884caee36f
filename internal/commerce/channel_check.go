package commerce

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"entrepot/internal/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/connector"
	"entrepot/internal/db"
)

// ConnectionTest is what POST sync/test found out (interface §4.5).
type ConnectionTest struct {
	Success            bool
	Message            string
	CheckedAt          int64 // microseconds since 1970 UTC
	WebhooksRegistered []string
	Shop               *connector.Shop // nil when nothing was proved
	Missing            []string
	Paste              *Paste // where notifications have to be switched on by hand
}

// testTime bounds a connection test, webhooks included, whatever the other side does.
const testTime = 14 * time.Second

// CheckChannel proves that a channel's credentials may read and write, and has the platform send its notifications to base
// (interface §4.5). Success makes the channel active and its orders due; refused credentials make it needs_reauth; no answer changes
// nothing.
func (s *Service) CheckChannel(ctx context.Context, store *db.DB, c channels.Channel, base string) (ConnectionTest, error) {
	out := ConnectionTest{CheckedAt: store.Now().UnixMicro(), WebhooksRegistered: []string{}, Missing: []string{}}
	if problem := s.addressProblem(ctx, c); problem != "" {
		out.Message = problem
		return out, nil
	}
	c, err := s.withWebhookSecret(ctx, store, c)
	if err != nil {
		return out, err
	}
	session, _, calls, err := s.openSession(ctx, store, c)
	if err != nil {
		return out, err
	}
	if !calls {
		out.Message = "the connector of " + c.Platform + " does not call its platform yet"
		return out, nil
	}
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	shop, err := session.Test(ctx)
	if err != nil {
		out.Message = message(err)
		return out, s.checkFailed(ctx, store, c, err)
	}
	out.Shop, out.Missing = &shop, append(out.Missing, shop.Missing...)
	if len(shop.Missing) > 0 {
		out.Message = "the credentials lack rights: " + strings.Join(shop.Missing, ", ")
		return out, s.checkFailed(ctx, store, c, &connector.Failure{Kind: connector.Unauthorized, Message: out.Message})
	}
	hooks, note := s.ensureWebhooks(ctx, session, c, base)
	for _, hook := range hooks {
		out.WebhooksRegistered = append(out.WebhooksRegistered, hook.Topic)
	}
	if out.Paste, err = s.paste(c, base); err != nil {
		return out, err
	}
	out.Success, out.Message = true, "connected to "+shopName(shop)+note
	return out, s.checkPassed(context.WithoutCancel(ctx), store, c, shop, hooks, s.hookURL(base, c))
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

// message is what an error says to a merchant.
func message(err error) string { return connector.FailureOf(err).Error() }

// addressProblem says why the channel's addresses cannot be called, "" when they can: they were checked when they were entered, but by
// former rules, or by what their names resolved to then.
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

// withWebhookSecret gives a channel a secret for its notifications where none was entered and it is ours to choose.
func (s *Service) withWebhookSecret(ctx context.Context, store *db.DB, c channels.Channel) (channels.Channel, error) {
	known, ok := s.Connectors.ByPlatform(c.Platform)
	ours := func(f connector.Field) bool { return f.Name == "webhookSecret" && !f.Required }
	if !ok || !slices.ContainsFunc(known.Profile().Fields, ours) {
		return c, nil
	}
	opened, err := s.Opened(c)
	if err != nil || opened.Credentials["webhookSecret"] != "" {
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
		if all["webhookSecret"] == "" {
			all["webhookSecret"] = letters(32)
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

// letters makes a random text of letters and digits, which every shop keeps as it is.
func letters(n int) string {
	const from = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	text := make([]byte, 0, n)
	for len(text) < n {
		var raw [64]byte
		_, _ = rand.Read(raw[:]) // it never fails
		for _, b := range raw {
			if int(b) < 4*len(from) && len(text) < n { // the rest would make some letters likelier
				text = append(text, from[int(b)%len(from)])
			}
		}
	}
	return string(text)
}

// checkPassed stores what a successful test found, in one commit with the channel's state.
func (s *Service) checkPassed(
	ctx context.Context,
	store *db.DB,
	c channels.Channel,
	shop connector.Shop,
	hooks []connector.Webhook,
	hookURL string,
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
		if locked.Credentials == c.Credentials && locked.Status != channels.Inactive {
			locked.Status = channels.Active
			locked.Save(tx)
		}
		state.SetHooks(hooksOf(hooks))
		text, err := json.Marshal(shop)
		if err != nil {
			return err
		}
		state.Shop, state.LastError, state.HeldUntil, state.Failures = string(text), "", 0, 0
		state.CheckAt, state.PullAt = tx.Now().Add(checkEvery).UnixMicro(), tx.Micros()
		if hookURL != "" {
			state.HookURL = hookURL
		}
		state.Save(tx)
		tx.Wake(SyncTopic)
		return nil
	})
}

// checkFailed stores what a failed test means for the channel.
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
