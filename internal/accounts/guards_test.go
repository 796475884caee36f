package accounts_test

import (
	"slices"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func commit(t *testing.T, store *db.DB, tenant id.Tenant, run func(tx *db.Tx)) {
	t.Helper()
	if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { run(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

func newUser(email string, role accounts.Role) accounts.User {
	return accounts.User{ID: id.New[id.User](), Email: email, Name: "U", PasswordHash: "h", Role: role, Status: accounts.Active}
}

// refused holds an error to one of the kind.
func refused(t *testing.T, what string, err error, kind apperr.Kind) {
	t.Helper()
	if !apperr.Is(err, kind) {
		t.Errorf("%s: %v", what, err)
	}
}

// A credential opens its account until it expires, is revoked, or its user is disabled, has logged out or is gone.
func TestWhatACredentialOpens(t *testing.T) {
	now := time.Now()
	dbtest.EnginesAt(t, func() time.Time { return now }, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		user := newUser("a@b.c", accounts.Viewer)
		user.Limit = []string{"read:orders"}
		key := accounts.Key{ID: id.New[id.Key](), Name: "k", Scopes: []string{"read:orders"}, Channel: id.New[id.Channel](), CreatedBy: user.ID,
			ExpiresAt: now.Add(time.Hour).UnixMicro()}
		lasting := accounts.Key{ID: id.New[id.Key](), Name: "l", Scopes: []string{"read:orders"}}
		secret, other := accounts.NewSecret(false), accounts.NewSecret(false)
		var token, second string
		commit(t, store, tenant, func(tx *db.Tx) {
			user.Insert(tx)
			key.Insert(tx, secret)
			lasting.Insert(tx, other)
			token, second = user.LogIn(tx, accounts.Origin{}), user.LogIn(tx, accounts.Origin{})
		})
		open := func(find func(*db.Tx, string) (accounts.Caller, error), credential string) (c accounts.Caller, err error) {
			err = store.Read(t.Context(), db.Across, func(tx *db.Tx) (err error) {
				c, err = find(tx, credential)
				return err
			})
			return c, err
		}
		byKey := func(secret string) (accounts.Caller, error) { return open(accounts.ByKey, secret) }
		byToken := func(token string) (accounts.Caller, error) { return open(accounts.ByToken, token) }

		c, err := byKey(secret)
		if err != nil || c.Tenant != tenant || c.Key != key.ID || c.Channel != key.Channel || c.MadeBy != user.ID || c.User != "" ||
			!c.May("read:orders") || c.Plan != accounts.Enterprise || c.Currency != "EUR" {
			t.Errorf("by key: %+v, %v", c, err)
		}
		c, err = byToken(token)
		if err != nil || c.Tenant != tenant || c.User != user.ID || c.Role != accounts.Viewer || c.Email != "a@b.c" ||
			len(c.Scopes) != 1 || c.Key != "" {
			t.Errorf("by token: %+v, %v", c, err)
		}
		_, err = byKey("pk_live_unknown")
		refused(t, "unknown key", err, apperr.Unauthorized)
		_, err = byToken("at_unknown")
		refused(t, "unknown token", err, apperr.Unauthorized)

		commit(t, store, tenant, func(tx *db.Tx) { accounts.LogOut(tx, second) })
		_, err = byToken(second)
		refused(t, "logged out", err, apperr.Unauthorized)
		save := func(status accounts.Status) {
			user.Status = status
			commit(t, store, tenant, func(tx *db.Tx) { user.Save(tx) })
		}
		save(accounts.Disabled)
		_, err = byToken(token)
		refused(t, "disabled user", err, apperr.Unauthorized)
		save(accounts.Active)
		if _, err := byToken(token); err != nil {
			t.Errorf("active again: %v", err)
		}
		began := now
		for after, opens := range map[time.Duration]bool{time.Hour - time.Microsecond: true, time.Hour: false} {
			now = began.Add(after)
			if _, err := byKey(secret); (err == nil) != opens {
				t.Errorf("the key after %v: %v", after, err)
			}
		}
		for after, opens := range map[time.Duration]bool{accounts.TokenLife - time.Microsecond: true, accounts.TokenLife: false} {
			now = began.Add(after)
			if _, err := byToken(token); (err == nil) != opens {
				t.Errorf("the token after %v: %v", after, err)
			}
		}
		if _, err := byKey(other); err != nil {
			t.Errorf("a key without end: %v", err)
		}
		now = began
		commit(t, store, tenant, func(tx *db.Tx) { accounts.RevokeOfUser(tx, user.ID) })
		_, err = byKey(secret)
		refused(t, "revoked key", err, apperr.Unauthorized)
	})
}

// What was changed or revoked since it was read is noticed at the write.
func TestWritersOfAccountsNoticeEachOther(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		user := newUser("a@b.c", accounts.Owner)
		key := accounts.Key{ID: id.New[id.Key](), Name: "k", Scopes: []string{"read:orders"}}
		commit(t, store, tenant, func(tx *db.Tx) {
			user.Insert(tx)
			key.Insert(tx, accounts.NewSecret(true))
		})
		logIn := func(tx *db.Tx) error { u := user; u.LogIn(tx, accounts.Origin{}); return nil }
		change := func(u accounts.User) func(tx *db.Tx) error {
			return func(tx *db.Tx) error { u.Save(tx); return nil }
		}
		disabled, changed := user, user
		disabled.Status, changed.PasswordHash = accounts.Disabled, "other"
		refused(t, "login of who is disabled", dbtest.Fails(t, store, tenant, logIn, change(disabled)), apperr.Unauthorized)
		commit(t, store, tenant, func(tx *db.Tx) { user.Save(tx) })
		refused(t, "login with a changed password", dbtest.Fails(t, store, tenant, logIn, change(changed)), apperr.Unauthorized)
		commit(t, store, tenant, func(tx *db.Tx) { user.Save(tx) })

		revoke := func(tx *db.Tx) error { key.Revoke(tx); return nil }
		refused(t, "a key revoked twice", dbtest.Fails(t, store, tenant, revoke, revoke), apperr.NotFound)

		var own accounts.Account
		commit(t, store, tenant, func(tx *db.Tx) {
			var err error
			if own, err = accounts.Own(tx); err != nil {
				t.Error(err)
			}
		})
		dbtest.RunsAgain(t, store, tenant, func(tx *db.Tx) error { a := own; a.Save(tx); return nil }, func(tx *db.Tx) error {
			tx.Queue("DELETE FROM tenants WHERE tenant_id = $1", tx.Tenant)
			return nil
		})
		twice := newUser(" A@B.C ", accounts.Viewer)
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { twice.Insert(tx); return nil })
		refused(t, "one e-mail address twice", err, apperr.Conflict)
		twice.Email = "other@b.c"
		commit(t, store, tenant, func(tx *db.Tx) { twice.Insert(tx) })
		twice.Email = "a@B.c"
		err = store.Write(t.Context(), tenant, func(tx *db.Tx) error { twice.Save(tx); return nil })
		refused(t, "a changed e-mail address twice", err, apperr.Conflict)
	})
}

// The last active owner cannot leave: owners who are disabled, admins and those of other accounts do not count.
func TestLastOwnerStays(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant, other := dbtest.Account(t, store), dbtest.Account(t, store)
		owner, second := newUser("a@b.c", accounts.Owner), newUser("b@b.c", accounts.Owner)
		admin, stranger := newUser("c@b.c", accounts.Admin), newUser("d@b.c", accounts.Owner)
		second.Status = accounts.Disabled
		commit(t, store, tenant, func(tx *db.Tx) { owner.Insert(tx); second.Insert(tx); admin.Insert(tx) })
		commit(t, store, other, func(tx *db.Tx) { stranger.Insert(tx) })
		leave := func(u accounts.User) error {
			return store.Write(t.Context(), tenant, func(tx *db.Tx) error { return accounts.MustKeepOwner(tx, u.ID) })
		}
		refused(t, "the last owner", leave(owner), apperr.Conflict)
		if err := leave(admin); err != nil {
			t.Errorf("an admin: %v", err)
		}
		second.Status = accounts.Active
		commit(t, store, tenant, func(tx *db.Tx) { second.Save(tx) })
		for _, u := range []accounts.User{owner, second} {
			if err := leave(u); err != nil {
				t.Errorf("one of two: %v", err)
			}
		}
	})
}

// Nothing that an account does with another one's ids finds or changes anything there.
func TestAccountsStayApart(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		home, other := dbtest.Account(t, store), dbtest.Account(t, store)
		user := newUser("a@b.c", accounts.Owner)
		key := accounts.Key{ID: id.New[id.Key](), Name: "k", Scopes: []string{"read:orders"}, Channel: id.New[id.Channel](), CreatedBy: user.ID}
		var token string
		commit(t, store, home, func(tx *db.Tx) {
			user.Insert(tx)
			key.Insert(tx, accounts.NewSecret(false))
			token = user.LogIn(tx, accounts.Origin{})
		})
		tables := []string{"tenants", "users", "api_keys", "tokens"}
		before := dbtest.RowsOf(t, store, home, tables...)
		caller := func(c accounts.Caller) error {
			return store.Write(t.Context(), other, func(tx *db.Tx) error { return c.Hold(tx) })
		}
		refused(t, "a user of another account", caller(accounts.Caller{User: user.ID, Role: user.Role}), apperr.Unauthorized)
		refused(t, "a key of another account", caller(accounts.Caller{Key: key.ID}), apperr.Unauthorized)
		err := store.Write(t.Context(), other, func(tx *db.Tx) error {
			_, err := accounts.UserByID(tx, user.ID)
			refused(t, "user by id", err, apperr.NotFound)
			_, err = accounts.LockUser(tx, user.ID)
			refused(t, "user for a change", err, apperr.NotFound)
			_, err = accounts.KeyByID(tx, key.ID)
			refused(t, "key by id", err, apperr.NotFound)
			if list, total, err := accounts.Users(tx, 9, 0); len(list)+int(total) != 0 || err != nil {
				t.Errorf("users: %v of %d, %v", list, total, err)
			}
			if list, total, err := accounts.Keys(tx, 9, 0); len(list)+int(total) != 0 || err != nil {
				t.Errorf("keys: %v of %d, %v", list, total, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, run := range map[string]func(tx *db.Tx){
			"save":        func(tx *db.Tx) { u := user; u.Name = "changed"; u.Save(tx) },
			"delete":      func(tx *db.Tx) { u := user; u.Delete(tx) },
			"log out all": func(tx *db.Tx) { u := user; u.LogOut(tx) },
			"log out":     func(tx *db.Tx) { accounts.LogOut(tx, token) },
			"revoke":      func(tx *db.Tx) { key.Revoke(tx) },
			"of channel":  func(tx *db.Tx) { accounts.RevokeOfChannel(tx, key.Channel) },
			"of user":     func(tx *db.Tx) { accounts.RevokeOfUser(tx, user.ID) },
			"used":        func(tx *db.Tx) { accounts.Used(tx, key.ID, time.Now()) },
			"log in":      func(tx *db.Tx) { u := user; u.LogIn(tx, accounts.Origin{}) },
		} {
			_ = store.Write(t.Context(), other, func(tx *db.Tx) error { run(tx); return nil }) // refused or without effect
			if after := dbtest.RowsOf(t, store, home, tables...); after != before {
				t.Fatalf("%s changed another account:\n%s\nwas\n%s", name, after, before)
			}
		}
		err = store.Write(t.Context(), other, func(tx *db.Tx) error { key.Revoke(tx); return nil })
		refused(t, "another account's key", err, apperr.NotFound)
	})
}

// A stored key sorts a copy of its scopes: the slice it was given may be the list of all scopes.
func TestKeysLeaveTheListOfScopesAlone(t *testing.T) {
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	tenant, before := dbtest.Account(t, store), slices.Clone(accounts.AllScopes)
	key := accounts.Key{ID: id.New[id.Key](), Name: "k", Scopes: accounts.AllScopes}
	commit(t, store, tenant, func(tx *db.Tx) { key.Insert(tx, accounts.NewSecret(false)) })
	if !slices.Equal(before, accounts.AllScopes) || !slices.IsSorted(key.Scopes) {
		t.Errorf("%v", accounts.AllScopes)
	}
}
