package commerce

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/money"
	"entrepot/internal/wire"
)

// The benchmarks run one operation after the other on SQLite with full durability: what they report is the time that the one
// writer needs for an item, events included.

// processorTime is what this process has used so far, of all cores; on a busy machine it tells more than the clock.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func given[T any](v T) wire.Field[T] { return wire.Field[T]{Set: true, Value: v} }

// benchDrafts are n new products of the run'th request; full ones have an image, two variants and stock.
func benchDrafts(run, n int, full bool) []catalog.Draft {
	drafts := make([]catalog.Draft, n)
	for i := range drafts {
		sku := fmt.Sprintf("IMP-%07d%03d", run, i)
		d := catalog.Draft{Index: i, SKU: sku, Name: given(fmt.Sprintf("Imported article %d", i)), Price: given(money.Amount(50_000 + i*100)),
			Description: given("Cotton, woven in the old way, washed twice, and packed in paper. Ships within two days from our own warehouse."),
			CompareAt:   given(money.Amount(100_000)), Status: given(catalog.Active)}
		if full {
			small, large := int64(5), int64(7)
			d.Images = given([]catalog.ImageDraft{{URL: "https://images.bench.example/" + sku + ".jpg"}})
			d.Variants = []catalog.VariantDraft{{SKU: sku + "-S", Name: given("Small"), Price: given(money.Amount(55_000)), Stock: &small},
				{SKU: sku + "-L", Name: given("Large"), Price: given(money.Amount(65_000)), Stock: &large}}
			d.VariantsSet = true
			d.Stock = &catalog.StockDraft{Warehouse: "MAIN", Quantity: 25}
		}
		drafts[i] = d
	}
	return drafts
}

func BenchmarkImportProducts(b *testing.B) {
	for _, kind := range []string{"plain", "full", "again"} {
		b.Run(kind, func(b *testing.B) {
			store := dbtest.Open(b, db.Config{Dir: b.TempDir()})
			tenant := dbtest.Account(b, store)
			service, who := &Service{}, accounts.Caller{Currency: "EUR"}
			run, used := 0, time.Duration(0)
			for b.Loop() {
				b.StopTimer()
				if kind != "again" || run == 0 {
					run++
				}
				in := Import{Drafts: benchDrafts(run, 1000, kind == "full")}
				before := processorTime()
				b.StartTimer()
				err := store.Write(b.Context(), tenant, func(tx *db.Tx) error {
					_, err := service.ImportProducts(tx, who, in)
					return err
				})
				used += processorTime() - before
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(used.Nanoseconds())/float64(b.N)/1e6, "cpu-µs/product")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "µs/product")
		})
	}
}

func BenchmarkUpdatePrices(b *testing.B) {
	store := dbtest.Open(b, db.Config{Dir: b.TempDir()})
	tenant := dbtest.Account(b, store)
	service, who := &Service{}, accounts.Caller{Currency: "EUR"}
	const blocks = 6
	for run := range blocks * 5 {
		if err := store.Write(b.Context(), tenant, func(tx *db.Tx) error {
			_, err := service.ImportProducts(tx, who, Import{Drafts: benchDrafts(run, 1000, false)})
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	run, used := 0, time.Duration(0)
	for b.Loop() {
		b.StopTimer()
		run++
		drafts := make([]catalog.PriceDraft, 5000)
		for i := range drafts {
			drafts[i] = catalog.PriceDraft{Index: i, SKU: fmt.Sprintf("IMP-%07d%03d", run%blocks*5+i/1000, i%1000), Price: money.Amount(run*1000 + i)}
		}
		update := NewPriceUpdate(drafts, nil)
		before := processorTime()
		b.StartTimer()
		err := store.Write(b.Context(), tenant, func(tx *db.Tx) error {
			out, err := service.UpdatePrices(tx, who, update)
			if out.Updated != len(drafts) {
				b.Fatal(out)
			}
			return err
		})
		used += processorTime() - before
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N)/5e6, "cpu-µs/SKU")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/5e6, "µs/SKU")
}
