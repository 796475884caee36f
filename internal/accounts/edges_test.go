package accounts_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A user has what both the role and the user's own limit give; an admin takes a key of every scope, a viewer gets what the key may read.
func TestLimitsOfUsers(t *testing.T) {
	limited := accounts.Caller{User: "u", Role: accounts.Admin, Scopes: []string{"read:orders"}}
	if !limited.May("read:orders") || limited.May("write:orders") || limited.May("read:products") {
		t.Error("the limit does not hold")
	}
	if all := (accounts.Caller{User: "u", Role: accounts.Viewer}); !all.May("read:products") || all.May("write:products") {
		t.Error("the role does not hold")
	}
	key := accounts.Caller{Key: "k", Scopes: []string{"write:users", "read:orders"}}
	if _, err := key.MakesUser(accounts.Admin); !apperr.Is(err, apperr.Forbidden) {
		t.Errorf("an admin made by a key that has less: %v", err)
	}
	if limit, err := key.MakesUser(accounts.Viewer); err != nil || !slices.Equal(limit, []string{"read:orders", "read:users"}) {
		t.Errorf("a viewer made by a key: %v, %v", limit, err)
	}
	if rate := accounts.Starter.UnchangedRate(); rate.PerMinute != 10*accounts.Starter.Rate().PerMinute {
		t.Errorf("unchanged answers: %+v", rate)
	}
}

// A caller whose role was changed since the request began has lost the power that it came with; a scope that is given twice is kept once.
func TestPowerThatWasTaken(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		user := newUser("a@b.c", accounts.Admin)
		key := accounts.Key{ID: id.New[id.Key](), Name: "k", Scopes: []string{"read:orders", "read:categories", "read:orders"}}
		commit(t, store, tenant, func(tx *db.Tx) { user.Insert(tx); key.Insert(tx, accounts.NewSecret(false)) })
		commit(t, store, tenant, func(tx *db.Tx) {
			if kept, err := accounts.KeyByID(tx, key.ID); err != nil || !slices.Equal(kept.Scopes, []string{"read:categories", "read:orders"}) {
				t.Errorf("scopes: %+v, %v", kept.Scopes, err)
			}
		})
		who := accounts.Caller{Tenant: tenant, User: user.ID, Role: accounts.Admin}
		hold := func() error { return store.Write(t.Context(), tenant, who.Hold) }
		if err := hold(); err != nil {
			t.Errorf("before: %v", err)
		}
		user.Role = accounts.Viewer
		commit(t, store, tenant, func(tx *db.Tx) { user.Save(tx) })
		refused(t, "with another role", hold(), apperr.Unauthorized)
	})
}

// A master key is replaced once: of two that would replace it the second finds another one.
func TestAMasterKeyIsReplacedOnce(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		replace := func(old, key string) func(tx *db.Tx) error {
			return func(tx *db.Tx) error { accounts.ReplaceStoreKey(tx, old, key); return nil }
		}
		commit(t, store, db.Across, func(tx *db.Tx) { accounts.ClaimStore(tx, "one") })
		dbtest.RunsAgain(t, store, db.Across, replace("one", "two"), replace("one", "three"))
		commit(t, store, db.Across, func(tx *db.Tx) {
			id, err := accounts.StoreKey(tx)
			if retired, err2 := accounts.RetiredKey(tx); id != "three" || retired != "one" || err != nil || err2 != nil {
				t.Errorf("%s, retired %s, %v, %v", id, retired, err, err2)
			}
		})
	})
}

// Who gives up waiting for a place leaves the queue: as many may wait after it as before.
func TestWaitingForAPlaceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var held []func()
		for range 2 {
			done, err := accounts.Slot(t.Context(), accounts.Waiter{})
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, done)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for range 200 { // more than may wait at once
			if _, err := accounts.Slot(ended, accounts.Waiter{}); err != context.Canceled {
				t.Fatalf("one that gave up: %v", err)
			}
		}
		for _, done := range held {
			done()
		}
		if done, err := accounts.Slot(t.Context(), accounts.Waiter{}); err != nil {
			t.Error(err)
		} else {
			done()
		}
	})
}

// However many wait from some networks, one that comes from another has a turn after each of them, and known ones have a place of their
// own.
func TestPlacesAreGivenToNetworksInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		var mu sync.Mutex
		refused := 0
		hash := func(network string) { // as long as a password takes
			done, err := accounts.Slot(t.Context(), accounts.Waiter{Network: network})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refused++
				return
			}
			order = append(order, network)
			time.AfterFunc(time.Second, done)
		}
		for _, network := range []string{"a", "b"} {
			for range 64 {
				go hash(network)
			}
			synctest.Wait()
		}
		go hash("c")
		synctest.Wait()
		if done, err := accounts.Slot(t.Context(), accounts.Waiter{Network: "d", Known: true}); err != nil {
			t.Errorf("a known network: %v", err)
		} else {
			done()
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		mu.Lock()
		if at := slices.Index(order, "c"); at < 0 || at > 5 {
			t.Errorf("the third network comes as number %d: %v", at, order)
		}
		mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if len(order)+refused != 129 || refused < 100 {
			t.Errorf("%d hashed, %d refused", len(order), refused)
		}
	})
}

// When all room is taken, who comes from a new network still finds some, which one with many waiting has too much.
func TestNewNetworksFindRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var held []func()
		for range 2 {
			done, err := accounts.Slot(t.Context(), accounts.Waiter{})
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, done)
		}
		served := make(chan string, 100)
		wait := func(network string) {
			if done, err := accounts.Slot(t.Context(), accounts.Waiter{Network: network}); err == nil {
				served <- network
				done()
			}
		}
		for i := range 40 {
			go wait(strconv.Itoa(i % 5))
		}
		synctest.Wait()
		go wait("new")
		synctest.Wait()
		for _, done := range held {
			done()
		}
		synctest.Wait()
		var list []string
		for len(served) > 0 {
			list = append(list, <-served)
		}
		if len(list) != 32 || !slices.Contains(list, "new") {
			t.Errorf("%d were served: %v", len(list), list)
		}
	})
}
