package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// The maintained counts of publications are those of the rows, whatever several writers do to the same products.
func TestPublicationsAreCounted(t *testing.T) {
	channels := []id.Channel{id.New[id.Channel](), id.New[id.Channel]()}
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		var products []id.Product
		for _, sku := range []string{"A", "B", "C"} {
			d := mug(sku, 1)
			d.SKU = sku
			commit(t, store, tenant, storing(t, d), func(tx *db.Tx) error {
				p, err := readProduct(tx, sku)
				if err == nil {
					products = append(products, p.ID)
				}
				return err
			})
		}
		var writers sync.WaitGroup
		for seed := range uint64(4) {
			writers.Go(func() {
				dice := rand.New(rand.NewPCG(seed, 7))
				for range 40 {
					channel, product, what := channels[dice.IntN(2)], products[dice.IntN(3)], dice.IntN(6)
					err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
						p, err := ReadPublications(tx, channel, products...)
						if err != nil {
							return err
						}
						switch what {
						case 0:
							p.Publish(tx, PublicationPending, products)
						case 1:
							p.Settle(tx, product, PublicationPublished, "X", "", "")
							p.Fail(tx, product, "gone")
						case 2:
							p.BackOnSale(tx, product, "gone")
						case 3:
							return p.Remove(tx, product)
						case 4:
							return p.Delete(tx, product)
						case 5:
							return Unpublish(tx, product)
						}
						return nil
					})
					if err != nil && !apperr.Is(err, apperr.NotFound) {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		same := func(tx *db.Tx) error {
			counts, err := CountPublications(tx)
			for _, channel := range channels {
				rows := map[PublicationStatus]int64{}
				err = tx.Each(func(r db.Rows) error {
					var status PublicationStatus
					err := r.Scan((*string)(&status))
					rows[status]++
					return err
				}, "SELECT status FROM publications WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.Tenant, channel)
				want := PublicationCounts{rows[PublicationPending], rows[PublicationPublished], rows[PublicationFailed], rows[PublicationRemoving]}
				if counts[channel] != want {
					t.Errorf("counted %+v, there are %+v", counts[channel], want)
				}
			}
			return err
		}
		commit(t, store, tenant, same, func(tx *db.Tx) error { UnpublishAll(tx, channels[0]); return nil }, same)
	})
}

// Each page of a channel's publications has what the whole list has there, from either end.
func TestPagesOfPublications(t *testing.T) {
	channel := id.New[id.Channel]()
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		var products []id.Product
		var all []func(tx *db.Tx) error
		for i := range 9 {
			d := mug(fmt.Sprint("M", i), 1)
			d.SKU = fmt.Sprint("M", i)
			all = append(all, storing(t, d), func(tx *db.Tx) error {
				p, err := readProduct(tx, d.SKU)
				if err == nil {
					products = append(products, p.ID)
				}
				return err
			})
		}
		all = append(all, func(tx *db.Tx) error {
			p, err := ReadPublications(tx, channel, products...)
			if err == nil {
				p.Publish(tx, PublicationPublished, products)
			}
			return err
		})
		commit(t, store, tenant, all...)
		slices.Sort(products)
		commit(t, store, tenant, func(tx *db.Tx) error {
			for offset := range len(products) + 2 {
				page, total, err := OnChannel(tx, channel, 4, offset)
				if err != nil {
					return err
				}
				var got []id.Product
				for _, p := range page {
					got = append(got, p.Product)
				}
				want := products[min(offset, len(products)):min(offset+4, len(products))]
				if total != int64(len(products)) || !slices.Equal(got, want) {
					t.Errorf("from %d of %d: %v, want %v", offset, total, got, want)
				}
			}
			return nil
		})
	})
}
