package sales_test

import (
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/sales"
)

// The best sellers of a year are what its lines add up to, with a top and without, whatever happens to orders.
func TestTopsGiveWhatTheLinesAddUpTo(t *testing.T) {
	defer sales.SetFewest(sales.SetFewest(4)) // months have blocks, days have none
	defer sales.SetTops(1, 6)()
	const month = 30 * day
	start := int64(600 * month)
	now := start
	dbtest.EnginesAt(t, func() time.Time { return time.UnixMicro(now) }, func(t *testing.T, store *db.DB) {
		now = start + 420*day
		s := newShop(t, store, start)
		for range 8 { // some sell far better than others
			s.skus = append(s.skus, s.skus[:5]...)
		}
		there, sure := 0, 0
		top := func(currency string, from, to int64) {
			s.read(func(tx *db.Tx) error {
				is, enough, err := sales.FromTop(tx, currency, from, to, 5)
				if is {
					there++
				}
				if enough {
					sure++
				}
				return err
			})
			s.compare(from, to)
		}
		years := func() {
			there, sure = 0, 0
			for range 8 {
				from := start + s.dice.Int63n(40*day)
				top("EUR", from, from+360*day+s.dice.Int63n(30*day))
			}
			top("USD", start, start+355*day)
		}
		fold := func() (later bool) {
			later, err := sales.Fold(t.Context(), store, s.tenant)
			if err != nil {
				t.Fatal(err)
			}
			return later
		}
		tops := func() (n int) {
			s.read(func(tx *db.Tx) error {
				return sales.Verify(tx, func(width, bucket int64, same bool) {
					if width == 350*day {
						n++
					}
					if !same {
						t.Errorf("what is kept of %d µs from %d on is wrong", width, bucket)
					}
				})
			})
			return n
		}
		for i := range 150 {
			s.order(start + int64(i)*420*day/150 + s.dice.Int63n(day))
		}
		if years(); there != 0 {
			t.Errorf("%d tops before there is one", there)
		}
		fold()
		if years(); there < 8 || sure < 3 || tops() != 8 {
			t.Errorf("%d tops in years, %d of them sure, %d kept", there, sure, tops())
		}
		for range 12 {
			s.change()
		}
		if years(); there != 0 {
			t.Errorf("%d tops after orders of all times have changed", there)
		}
		s.order(start + 417*day) // after all tops
		now += 24 * hour
		fold()
		if years(); there < 8 || tops() != 8 {
			t.Errorf("%d tops in years, %d kept, after they were made anew", there, tops())
		}

		// A node begins to make the tops again, and dies.
		s.write(func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE sales_blocks SET version = -1, body = $3, made_at = $4 WHERE tenant_id = $1 AND width = $2", tx.Tenant,
				int64(350*day), []byte{}, now-hour+5*60_000_000)
			return err
		})
		if years(); there != 0 || !fold() {
			t.Errorf("%d tops that nobody has made", there)
		}
		now += 5*60_000_000 + 1
		fold()
		if years(); there < 8 {
			t.Errorf("%d tops in years that another node has left undone", there)
		}

		// An account with another currency has other best sellers.
		now += hour
		s.write(func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE tenants SET currency = 'USD', updated_at = $2 WHERE tenant_id = $1", tx.Tenant, now)
			return err
		})
		if years(); there < 8 {
			t.Errorf("%d tops in years", there)
		}
		now += hour
		fold()
		if years(); there != 1 || tops() != 8 {
			t.Errorf("%d tops in years, %d kept, in another currency", there, tops())
		}
	})
}

// Of a top that is damaged, verify says so.
func TestVerifyFindsWrongTops(t *testing.T) {
	defer sales.SetFewest(sales.SetFewest(1))
	defer sales.SetTops(1, 3)()
	dbtest.EnginesAt(t, func() time.Time { return time.UnixMicro(700 * day) }, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 700*day)
		for i := range int64(30) {
			s.order(310*day + i*11*day)
		}
		if _, err := sales.Fold(t.Context(), store, s.tenant); err != nil {
			t.Fatal(err)
		}
		for _, damage := range []string{"", "99", "0001"} {
			s.write(func(tx *db.Tx) error {
				if damage == "" {
					return nil
				}
				_, err := tx.Exec("UPDATE sales_blocks SET body = $3 WHERE tenant_id = $1 AND width = $2", tx.Tenant, int64(350*day), []byte(damage))
				return err
			})
			right, wrong := 0, 0
			s.read(func(tx *db.Tx) error {
				return sales.Verify(tx, func(width, _ int64, same bool) {
					switch {
					case width != 350*day:
					case same:
						right++
					default:
						wrong++
					}
				})
			})
			if damage == "" && (right == 0 || wrong != 0) || damage != "" && (right != 0 || wrong == 0) {
				t.Errorf("%q: %d tops are right, %d wrong", damage, right, wrong)
			}
		}
	})
}
