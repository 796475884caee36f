package api

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/webhooks"
)

// unbound encrypts as older versions did, which did not bind secrets to their places, with the tests' master key.
func unbound(k secretbox.Key, text string) string {
	raw, _ := hex.DecodeString(strings.Repeat("5e", 32))
	block, _ := aes.NewCipher(raw)
	aead, _ := cipher.NewGCM(block)
	nonce := make([]byte, aead.NonceSize())
	return k.ID() + "." + base64.RawStdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte(text), nil))
}

// claim starts a node with a master key, as far as the store is concerned.
func (s *server) claim(t testing.TB, key secretbox.Key) error {
	t.Helper()
	return s.DB.Write(t.Context(), db.Across, (&commerce.Service{Key: key}).ClaimStore)
}

// column reads the texts of a column.
func (s *server) column(t testing.TB, sql string) (list []string) {
	t.Helper()
	if err := s.DB.Read(t.Context(), db.Across, func(tx *db.Tx) (err error) {
		list, err = db.List(tx, func(r db.Rows) (text string, err error) { return text, r.Scan(&text) }, sql)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// Replacing the master key keeps every secret readable, wherever it is broken off; a node with the wrong key writes nothing and does not
// start.
func TestTheMasterKeyIsReplaced(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		former := s.Commerce.Key
		next, err := secretbox.Parse(strings.Repeat("a1", 32))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.claim(t, former); err != nil {
			t.Fatal(err)
		}
		other := s.stranger()
		var shops []id.Channel
		for _, one := range []*server{s, other} {
			made := one.must(t, 201, "POST", "/api/v1/channels", shopBody())
			shops = append(shops, id.Channel(channelOf(made)))
		}
		hook := s.must(t, 201, "POST", "/api/v1/developer/webhooks", member{"url": "https://shop.example/hook", "events": []string{"*"}})
		endpoint := id.Endpoint(idOf(hook))
		rotated := s.must(t, 200, "POST", "/api/v1/developer/webhooks/"+string(endpoint)+"/rotate-secret", nil)
		old := text(hook, "data", "secret")
		create := func() reply {
			return s.do(call{method: "POST", path: "/api/v1/developer/api-keys", noKey: true,
				body:   member{"name": "x", "scopes": []string{"read:users"}},
				header: map[string]string{"Authorization": "Bearer " + s.token, "Idempotency-Key": "k"}})
		}
		first := create()
		// Many endpoints, so that there is a middle; every third is from before secrets were bound.
		for i := range limits.MaxEndpoints - 1 {
			s.write(s.tenant, func(tx *db.Tx) error {
				e := &webhooks.Endpoint{ID: id.New[id.Endpoint](), URL: "https://shop.example/x", Events: []string{"product.deleted"},
					Status: webhooks.Active}
				if e.Secret = former.Encrypt(fmt.Sprint("secret ", e.ID), webhooks.Place(s.tenant, e.ID)); i%3 == 0 {
					e.Secret = unbound(former, fmt.Sprint("secret ", e.ID))
				}
				e.Insert(tx)
				return nil
			})
		}
		s.write(db.Across, func(tx *db.Tx) error { // the first broken off: a secret that nothing opens
			_, err := tx.Exec("UPDATE endpoints SET old_secret = $2 WHERE id = $1::UUID", endpoint,
				former.Encrypt("x", webhooks.Place(99, endpoint)))
			return err
		})
		if _, err := commerce.RotateStoreKey(t.Context(), s.DB, former, next); err == nil || !strings.Contains(err.Error(), string(endpoint)) {
			t.Fatalf("a damaged secret: %v", err)
		}
		for name, key := range map[string]secretbox.Key{"former": former, "new": next} {
			if err := s.claim(t, key); err == nil || !strings.Contains(err.Error(), "key-rotate") {
				t.Errorf("a node with the %s key starts in the middle: %v", name, err)
			}
		}
		if refused := s.must(t, 503, "POST", "/api/v1/developer/webhooks",
			member{"url": "https://shop.example/hook", "events": []string{"*"}}); !strings.Contains(text(refused, "message"), "master key") {
			t.Errorf("%v", refused)
		}
		s.must(t, 503, "POST", "/api/v1/channels", shopBody())
		s.write(db.Across, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE endpoints SET old_secret = $2 WHERE id = $1::UUID", endpoint,
				former.Encrypt(old, webhooks.Place(s.tenant, endpoint)))
			return err
		})
		for limit := time.Millisecond; ; limit *= 2 { // then broken off wherever it is, until the time suffices
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			_, err := commerce.RotateStoreKey(ctx, s.DB, former, next)
			cancel()
			if err == nil {
				break
			}
			if limit > time.Minute {
				t.Fatal(err)
			}
		}
		if n, err := commerce.RotateStoreKey(t.Context(), s.DB, former, next); n != 0 || err != nil {
			t.Errorf("again: %d, %v", n, err)
		}
		if err := s.claim(t, former); err == nil || !strings.Contains(err.Error(), next.ID()) {
			t.Errorf("a node with the former key starts: %v", err)
		}
		if err := s.claim(t, next); err != nil {
			t.Error(err)
		}
		if wrong, err := secretbox.Parse(strings.Repeat("77", 32)); err != nil {
			t.Error(err)
		} else if _, err := commerce.RotateStoreKey(t.Context(), s.DB, former, wrong); err == nil {
			t.Error("a key that is not the store's replaces it")
		}
		s.Commerce.Key = next
		if again := create(); string(again.body) != string(first.body) || again.header.Get("Idempotent-Replay") != "true" {
			t.Errorf("a kept answer: %d %s", again.status, again.body)
		}
		opened := func(of *server, shop id.Channel) (key string, err error) {
			err = s.DB.Read(t.Context(), of.tenant, func(tx *db.Tx) error {
				c, err := channels.ByID(tx, shop)
				if err != nil {
					return err
				}
				open, err := s.Commerce.Opened(c)
				key = open.Value("consumerKey")
				return err
			})
			return key, err
		}
		for i, of := range []*server{s, other} {
			if key, err := opened(of, shops[i]); key == "" || err != nil {
				t.Errorf("channel %d: %q, %v", i, key, err)
			}
		}
		if err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
			e, err := webhooks.ByID(tx, endpoint)
			if err != nil {
				return err
			}
			now, err := next.Decrypt(e.Secret, webhooks.Place(s.tenant, endpoint))
			before, err2 := next.Decrypt(e.OldSecret, webhooks.Place(s.tenant, endpoint))
			if now != text(rotated, "data", "secret") || before != old {
				t.Errorf("%q %v, %q %v", now, err, before, err2)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for _, value := range append(s.column(t, "SELECT secret FROM endpoints"),
			s.column(t, "SELECT credentials FROM channels WHERE credentials <> ''")...) {
			if !strings.HasPrefix(value, next.Prefix()) {
				t.Errorf("left behind: %.40s", value)
			}
		}
		s.write(db.Across, func(tx *db.Tx) error { // a value that somebody copies into another account's row
			_, err := tx.Exec("UPDATE channels SET credentials = (SELECT credentials FROM channels WHERE id = $1::UUID) WHERE id = $2::UUID",
				shops[0], shops[1])
			return err
		})
		if key, err := opened(other, shops[1]); err == nil {
			t.Errorf("another account's credentials open: %q", key)
		}
		var retired string
		s.write(db.Across, func(tx *db.Tx) (err error) { retired, err = accounts.RetiredKey(tx); return err })
		if retired != "" {
			t.Errorf("the former key %s is still noted", retired)
		}
	})
}
