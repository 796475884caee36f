package stock

import (
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// ShortLists lets searches of a few levels read them as those of many.
func ShortLists(t *testing.T) {
	list, of := listKeys, rangeKeys
	listKeys, rangeKeys = 4, 16
	t.Cleanup(func() { listKeys, rangeKeys = list, of })
}

// SetFewRest sets how many products may not match a search that is read as a list of all levels but theirs.
func SetFewRest(n int) { fewRest = n }

// ShortPages lets pages be deep from the tenth level on, during a test.
func ShortPages(t *testing.T) {
	was := deep
	deep = 10
	t.Cleanup(func() { deep = was })
}

// ShortOwners lets owners serve lists of a few levels during a test, and counts fences and changed levels in tens.
func ShortOwners(t *testing.T) {
	every, rest, perHit, late, from := ownersEvery, ownersRest, ownersPerHit, ownersLate, ownersFrom
	ownersEvery, ownersRest, ownersPerHit, ownersLate, ownersFrom = 4, 1, 1<<40, 12, 5
	t.Cleanup(func() {
		ownersEvery, ownersRest, ownersPerHit, ownersLate, ownersFrom = every, rest, perHit, late, from
	})
}

// OwnersMost limits the levels in the memory of a node during a test.
func OwnersMost(t *testing.T, n int) {
	was := ownersMost
	ownersMost = n
	t.Cleanup(func() { ownersMost = was })
}

// MakeOwners makes the owners of an account at once, whoever wants them.
func MakeOwners(t testing.TB, store *db.DB, tenant id.Tenant) {
	kept, _ := store.Memo().LoadOrStore(ownersOf(tenant), new(owned))
	if err := makeOwners(t.Context(), store, tenant, kept.(*owned), ownersMost); err != nil {
		t.Fatal(err)
	}
}

// Owners says of an account's owners whether they hold, and how many products they are not used for.
func Owners(t testing.TB, tx *db.Tx) (held bool, late int) {
	c, err := currentOwners(tx, false)
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		return false, 0
	}
	return true, len(c.late)
}

// OwnersMade is when an account's owners were made, and of how many levels; the zero time for never.
func OwnersMade(store *db.DB, tenant id.Tenant) (at time.Time, levels int) {
	kept, _ := store.Memo().Load(ownersOf(tenant))
	own, is := kept.(*owned)
	if !is || own.made.Load() == 0 {
		return at, 0
	}
	if o := own.now.Load(); o != nil {
		levels = len(o.of)
	}
	return time.UnixMicro(own.made.Load()), levels
}
