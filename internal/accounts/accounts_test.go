package accounts_test

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestPasswordsMatchTheirHashOnly(t *testing.T) {
	var hashing accounts.Hashing
	hash, err := hashing.Hash(t.Context(), "correct horse")
	if err != nil || strings.Contains(hash, "horse") || !strings.HasPrefix(hash, "argon2id$19456$2$") {
		t.Fatalf("%q %v", hash, err)
	}
	again, _ := hashing.Hash(t.Context(), "correct horse")
	if again == hash {
		t.Error("two hashes of one password are the same: no salt")
	}
	for password, want := range map[string]bool{"correct horse": true, "Correct horse": false, "correct horse ": false, "": false} {
		if ok, err := hashing.Matches(hash, password); ok != want || err != nil {
			t.Errorf("%q: %v %v", password, ok, err)
		}
	}
	if ok, err := hashing.Matches("", "anything"); ok || err != nil {
		t.Errorf("no hash: %v %v", ok, err)
	}
	for _, damaged := range []string{"x", "argon2id$a$2$AA$AA", "argon2id$19456$2$!!$AA", "bcrypt$1$2$AA$AA"} {
		if ok, err := hashing.Matches(damaged, "x"); ok || err == nil {
			t.Errorf("%s: %v %v", damaged, ok, err)
		}
	}
}

// A stored hash says what it cost, and is checked at that cost, whatever new ones cost.
func TestHashesOfAnotherCostMatch(t *testing.T) {
	quick := accounts.Hashing{Memory: 64, Passes: 1}
	hash, err := quick.Hash(t.Context(), "correct horse")
	if err != nil || !strings.HasPrefix(hash, "argon2id$64$1$") {
		t.Fatalf("%q %v", hash, err)
	}
	for password, want := range map[string]bool{"correct horse": true, "Correct horse": false} {
		var usual accounts.Hashing
		if ok, err := usual.Matches(hash, password); ok != want || err != nil {
			t.Errorf("%q: %v %v", password, ok, err)
		}
	}
}

func TestDisguiseDependsOnPasswordAndSalt(t *testing.T) {
	text := func(password, salt string) string {
		d, err := accounts.Hashing{}.Disguise(t.Context(), password, salt)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first, again := text("a", "s"), text("a", "s")
	if first != again || first == text("b", "s") || first == text("a", "t") {
		t.Error("the disguise is not a function of both")
	}
}

func TestSecretsAreLongAndOfLettersAndDigits(t *testing.T) {
	seen, letters := map[string]bool{}, map[rune]int{}
	for range 500 {
		secret := accounts.NewSecret(false)
		rest, ok := strings.CutPrefix(secret, "pk_live_")
		if !ok || len(rest) < 32 || seen[secret] {
			t.Fatalf("%q", secret)
		}
		seen[secret] = true
		for _, c := range rest {
			letters[c]++
		}
	}
	if len(letters) != 62 {
		t.Errorf("%d different characters in 20,000, not 62", len(letters))
	}
	for c, n := range letters {
		if n < 200 || n > 460 { // expected 323; nine standard deviations
			t.Errorf("%q comes %d times", c, n)
		}
	}
	if !strings.HasPrefix(accounts.NewSecret(true), "pk_test_") {
		t.Error("a sandbox key that does not start with pk_test_")
	}
}

func TestScopesOfKeysAndRoles(t *testing.T) {
	key := func(scopes ...string) accounts.Caller { return accounts.Caller{Key: "k", Scopes: scopes} }
	user := func(role accounts.Role) accounts.Caller { return accounts.Caller{User: "u", Role: role} }
	for _, c := range []struct {
		who   accounts.Caller
		scope string
		may   bool
	}{
		{key("read:orders"), "read:orders", true}, {key("read:orders"), "write:orders", false}, {key("write:orders"), "read:orders", true},
		{key("write:orders"), "read:customers", false}, {key(), "read:orders", false}, {key(), "", true},
		{user(accounts.Viewer), "read:users", true}, {user(accounts.Viewer), "write:users", false},
		{user(accounts.Admin), "write:users", true}, {user(accounts.Owner), "write:webhooks", true},
	} {
		err := c.who.Needs(c.scope)
		if (err == nil) != c.may {
			t.Errorf("%s %v needs %q: %v", c.who.Actor(), c.who.Scopes, c.scope, err)
		}
		if err != nil && !apperr.Is(err, apperr.Forbidden) {
			t.Errorf("%v", err)
		}
	}
	if len(accounts.AllScopes) != 20 || len(accounts.ChannelScopes) != 10 {
		t.Errorf("%d scopes, %d of channels", len(accounts.AllScopes), len(accounts.ChannelScopes))
	}
	for scopes, good := range map[string]bool{"read:orders": true, "read:orders write:users": true, "": false, "orders": false,
		"write:*": false} {
		if problem := accounts.BadScopes(strings.Fields(scopes)); (problem == "") != good {
			t.Errorf("%q: %s", scopes, problem)
		}
	}
}

// A new account has everything its first request needs: the same rows as the bare account that other tests use.
func TestNewAccountHasWhatRequestsNeed(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		account := accounts.Account{ID: id.New[id.Account](), Name: "One", Plan: accounts.Pro, Currency: "EUR",
			Settings: accounts.Settings{StrictWarehouses: true}}
		if err := store.Write(t.Context(), db.Across, account.Insert); err != nil {
			t.Fatal(err)
		}
		bare := dbtest.Account(t, store)
		for _, table := range []string{"tenants", "change_clocks", "order_numbers", "warehouses"} {
			rows := func(tenant id.Tenant) (n int64) {
				err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
					return tx.Row("SELECT count(*) FROM "+table+" WHERE tenant_id = $1", []any{tenant}, &n)
				})
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			if made, wanted := rows(account.Tenant), rows(bare); made != wanted || made != 1 {
				t.Errorf("%s: %d rows, %d in a bare account", table, made, wanted)
			}
		}
		err := store.Read(t.Context(), account.Tenant, func(tx *db.Tx) error {
			read, err := accounts.Own(tx)
			if err == nil && read != account {
				t.Errorf("read %+v, wrote %+v", read, account)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestExpiredTokensAreSwept(t *testing.T) {
	now := time.Now()
	dbtest.EnginesAt(t, func() time.Time { return now }, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		user := accounts.User{ID: id.New[id.User](), Email: "a@b.c", Name: "A", Role: accounts.Owner, Status: accounts.Active}
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			user.Insert(tx)
			user.LogIn(tx, accounts.Origin{})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []int64{0, 1, 0} {
			err := store.Write(t.Context(), db.Across, func(tx *db.Tx) error {
				n, err := accounts.DeleteExpiredTokens(tx, 10)
				if n != want {
					t.Errorf("swept %d, not %d", n, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			now = now.Add(accounts.TokenLife + time.Minute)
		}
	})
}
