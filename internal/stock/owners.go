package stock

import (
	"context"
	"errors"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/search"
)

// Of accounts whose levels are searched for what very many products have, or listed very far from the beginning, a node keeps the products
// of all levels in memory, in the order of lists: then no level is looked up to be counted or passed. They hold while no level has
// appeared or gone, which is counted; later, the levels of products with changed levels are looked up. Changes of quantities do nothing
// for it (decision 9).

// Bounds of owners. Tests lower the first six.
var (
	ownersEvery  = 256         // levels from one fence to the next
	ownersRest   = 2000        // products that a search leaves out, from which owners are worth making
	ownersPerHit = int64(200)  // levels that are counted in the time in which one product and its levels are looked up
	ownersLate   = 10_000      // changed levels from which on owners are not used
	ownersFrom   = 50_000      // the offset of a list from which they are worth making
	ownersMost   = 4_000_000   // levels in the memory of a node
	ownersAgain  = time.Minute // between two times that an account's are made
	ownersOld    = time.Hour   // after which owners that nobody wants are forgotten, and changes are not corrected: tombstones end
)

// owners are the products of all levels of an account at one moment.
type owners struct {
	at       placed
	stamp    int64       // the last change of a level before that moment
	micros   int64       // when that was
	products []search.ID // sorted, each once
	of       []uint32    // by level, in the order of lists: its product, an index of products
	in       []uint16    // and its warehouse, an index of codes
	codes    []string    // of warehouses
	fences   []levelKey  // every so many levels
}

// placed are the kept counts of levels that appeared or went.
type placed struct{ n, anew int64 }

// readPlaced reads them; counted is false for an account that has never had a level.
func readPlaced(tx *db.Tx) (p placed, counted bool, err error) {
	kept, err := db.PrefetchTallies(tx, Placed).Wait()
	p.n, counted = kept[Placed][""]
	p.anew = kept[Placed][anew]
	return p, counted, err
}

// owned is what a node knows of one account.
type owned struct {
	wanted atomic.Int64 // when a search wanted owners last, in microseconds
	made   atomic.Int64 // when they were made last, or found to hold
	now    atomic.Pointer[owners]
}

// ownersOf is the key of an account's owned in the memo of the store.
type ownersOf id.Tenant

// OwnersTopic is woken when a search wants owners that a node has not had yet: FollowOwners makes them.
const OwnersTopic = "owners of levels"

// current are owners as one transaction sees them.
type current struct {
	*owners
	late map[search.ID]bool // products with levels that have changed since, for which owners do not count
}

// currentOwners are the account's owners, nil if there are none that hold. The worker will make them if that is worthwhile.
func currentOwners(tx *db.Tx, worthwhile bool) (*current, error) {
	kept, there := tx.Memo().Load(ownersOf(tx.Tenant))
	if !there && !worthwhile {
		return nil, nil
	}
	if !there {
		kept, _ = tx.Memo().LoadOrStore(ownersOf(tx.Tenant), new(owned))
	}
	own := kept.(*owned)
	if worthwhile {
		own.wanted.Store(tx.Micros())
	}
	at := own.now.Load()
	if at == nil {
		if worthwhile && own.made.Load() == 0 {
			tx.WakeNow(OwnersTopic)
		}
		return nil, nil
	}
	return at.current(tx)
}

// current are the owners for a transaction, nil if they do not hold for it: it may be too far behind them, or before.
func (at *owners) current(tx *db.Tx) (*current, error) {
	now, _, err := readPlaced(tx)
	switch {
	case err != nil || now.anew != at.at.anew || now.n < at.at.n:
		return nil, err
	case now.n == at.at.n:
		return &current{owners: at}, nil
	case tx.Micros()-at.micros > ownersOld.Microseconds():
		return nil, nil
	}
	c, changed := &current{at, map[search.ID]bool{}}, 0
	var product db.Buffer
	err = tx.Each(func(r db.Rows) error {
		changed++
		err := r.Scan(&product)
		c.late[search.ParseID(product)] = true
		return err
	}, "SELECT product_id FROM stock_levels WHERE tenant_id = $1 AND changed_at > $2 ORDER BY changed_at LIMIT $3::BIGINT", tx.Tenant,
		at.stamp, ownersLate+1)
	if err != nil || changed > ownersLate {
		return nil, err
	}
	return c, nil
}

// FollowOwners makes the owners that searches have wanted since they were made, and forgets those that none wants any more. It serves every
// tenant.
func FollowOwners(ctx context.Context, store *db.DB) (err error) {
	now, levels := store.Now(), 0
	eachOwned(store, func(tenant id.Tenant, own *owned) bool {
		if now.Sub(time.UnixMicro(own.wanted.Load())) > ownersOld {
			store.Memo().Delete(ownersOf(tenant))
		}
		levels += own.levels()
		return true
	})
	eachOwned(store, func(tenant id.Tenant, own *owned) bool {
		before := own.levels()
		wanted, made := time.UnixMicro(own.wanted.Load()), time.UnixMicro(own.made.Load())
		if wanted.After(made) && now.Sub(made) >= ownersAgain {
			err = makeOwners(ctx, store, tenant, own, ownersMost-levels+before)
		} else if before > 0 {
			err = store.Read(ctx, tenant, own.keep)
		}
		levels += own.levels() - before
		return err == nil
	})
	return err
}

// levels is how many levels' owners are in memory.
func (own *owned) levels() int {
	if at := own.now.Load(); at != nil {
		return len(at.of)
	}
	return 0
}

func eachOwned(store *db.DB, each func(tenant id.Tenant, own *owned) bool) {
	store.Memo().Range(func(key, kept any) bool {
		tenant, is := key.(ownersOf)
		return !is || each(id.Tenant(tenant), kept.(*owned))
	})
}

// keep moves the stamp of owners for which no level has appeared or gone, so that fewer changes are corrected later.
func (own *owned) keep(tx *db.Tx) error {
	at := own.now.Load()
	now, _, err := readPlaced(tx)
	if err != nil || now != at.at {
		return err
	}
	later := *at
	if later.stamp, err = Newest(tx); err == nil {
		later.micros = tx.Micros()
		own.now.Store(&later)
	}
	return err
}

// makeOwners makes the owners of an account as its levels are now, unless those that are there hold, or the levels are more than most.
func makeOwners(ctx context.Context, store *db.DB, tenant id.Tenant, own *owned, most int) error {
	err := store.ReadWide(ctx, tenant, func(tx *db.Tx) error {
		if at := own.now.Load(); at != nil {
			c, err := at.current(tx)
			if err != nil || c != nil && 2*len(c.late) <= ownersLate {
				return errors.Join(err, own.keep(tx))
			}
			own.now.Store(nil) // not both in memory
		}
		all, err := All(tx)
		if err != nil || all == 0 || all > int64(most) {
			return err
		}
		at, err := readOwners(tx, int(all))
		if err == nil {
			own.now.Store(at)
		}
		return err
	})
	if err == nil {
		own.made.Store(store.Now().UnixMicro())
	}
	return err
}

// readOwners reads the products of all levels, some many; nil if what they have in memory would be too small for them.
func readOwners(tx *db.Tx, many int) (*owners, error) {
	at := &owners{micros: tx.Micros(), of: make([]uint32, 0, many), in: make([]uint16, 0, many)}
	var counted bool
	var err error
	if at.at, counted, err = readPlaced(tx); err != nil || !counted {
		return nil, err
	}
	if at.stamp, err = Newest(tx); err != nil {
		return nil, err
	}
	each := make([]search.ID, 0, many)
	numbers, last := map[string]uint16{}, uint16(0)
	var sku, warehouse, product db.Buffer
	err = tx.Each(func(r db.Rows) error {
		if err := r.Scan(&sku, &warehouse, &product); err != nil {
			return err
		}
		if len(each)%ownersEvery == 0 {
			at.fences = append(at.fences, levelKey{string(sku), string(warehouse)})
		}
		if len(at.codes) == 0 || at.codes[last] != string(warehouse) {
			number, known := numbers[string(warehouse)]
			if !known {
				number = uint16(len(at.codes))
				at.codes = append(at.codes, string(warehouse))
				numbers[at.codes[number]] = number
			}
			last = number
		}
		each, at.in = append(each, search.ParseID(product)), append(at.in, last)
		return nil
	}, "SELECT l.sku, l.warehouse_code, l.product_id FROM stock_levels l WHERE l.tenant_id = $1 AND l.deleted_at IS NULL"+
		" ORDER BY l.sku, l.warehouse_code", tx.Tenant)
	if err != nil || len(at.codes) > 1<<16 {
		return nil, err
	}
	at.products = slices.Clone(each)
	slices.SortFunc(at.products, search.CompareIDs)
	at.products = slices.Clone(slices.Compact(at.products))
	products := search.SetOf(at.products)
	for _, product := range each {
		number, _ := products.Find(product)
		at.of = append(at.of, uint32(number))
	}
	return at, nil
}

// fence is the last fence that does not come behind a level; the first one for a level that comes before all.
func (at *owners) fence(of levelKey) int {
	return max(0, sort.Search(len(at.fences), func(i int) bool { return at.fences[i].compare(of) > 0 })-1)
}
