package commerce

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// The benchmarks run one operation after the other on SQLite with full durability and report microseconds an item: for
// the plan, which is made outside the writer; for applying it, which holds the one writer, commit and events included;
// and the processor time of both, which on a busy machine says more than the clock.

// stopwatch adds up the times of one kind of step.
type stopwatch struct{ clock, processor time.Duration }

func (s *stopwatch) run(b *testing.B, step func() error) {
	clock, processor := time.Now(), processorTime()
	if err := step(); err != nil {
		b.Fatal(err)
	}
	s.clock += time.Since(clock)
	s.processor += processorTime() - processor
}

func (s *stopwatch) report(b *testing.B, items int, name string) {
	each := float64(b.N*items) * 1000
	b.ReportMetric(float64(s.clock)/each, name+"-µs")
	b.ReportMetric(float64(s.processor)/each, name+"-cpu-µs")
}

// processorTime is what this process has used so far, of all cores.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchDrafts are n new products of the run'th request; full ones have an image, two variants and stock.
func benchDrafts(run, n int, full bool) []catalog.Draft {
	drafts := make([]catalog.Draft, n)
	for i := range drafts {
		sku := fmt.Sprintf("IMP-%07d%03d", run, i)
		d := catalog.Draft{Index: i, SKU: sku, Name: patch.To(fmt.Sprintf("Imported article %d", i)),
			Price:       patch.To(money.Amount(50_000 + i*100)),
			Description: patch.To("Cotton, woven in the old way, washed twice, and packed in paper. Ships within two days from our own warehouse."),
			CompareAt:   patch.To(money.Amount(100_000)), Status: patch.To(catalog.Active)}
		if full {
			d.Images = patch.To([]catalog.ImageDraft{{URL: "https://images.bench.example/" + sku + ".jpg"}})
			d.Variants = []catalog.VariantDraft{{SKU: sku + "-S", Name: patch.To("Small"), Price: patch.To(money.Amount(55_000)),
				Stock: []catalog.StockDraft{{Quantity: 5}}},
				{SKU: sku + "-L", Name: patch.To("Large"), Price: patch.To(money.Amount(65_000)),
					Stock: []catalog.StockDraft{{Quantity: 7}}}}
			d.VariantsSet = true
			d.Stock = []catalog.StockDraft{{Warehouse: "MAIN", Quantity: 25}}
		}
		drafts[i] = d
	}
	return drafts
}

// bench is a store with a service on it.
type bench struct {
	*testing.B
	store       *db.DB
	tenant      id.Tenant
	service     Service
	who         accounts.Caller
	plan, apply stopwatch
}

func newBench(b *testing.B) *bench {
	store := dbtest.Open(b, db.Config{Dir: b.TempDir()})
	return &bench{B: b, store: store, tenant: dbtest.Account(b, store), who: accounts.Caller{Currency: "EUR"}}
}

// importProducts runs one import and adds its times up.
func (b *bench) importProducts(drafts []catalog.Draft) {
	var plan *ImportPlan
	b.plan.run(b.B, func() error {
		return b.store.Read(b.Context(), b.tenant, func(tx *db.Tx) (err error) {
			plan, err = b.service.PlanImport(tx, b.who, Import{Drafts: drafts})
			return err
		})
	})
	b.apply.run(b.B, func() error {
		return b.store.Write(b.Context(), b.tenant, func(tx *db.Tx) error {
			_, err := plan.Apply(tx, b.who)
			return err
		})
	})
}

func BenchmarkImportProducts(b *testing.B) {
	for _, kind := range []string{"plain", "full", "again"} {
		b.Run(kind, func(b *testing.B) {
			bench, run := newBench(b), 0
			for b.Loop() {
				if kind != "again" || run == 0 {
					run++
				}
				bench.importProducts(benchDrafts(run, 1000, kind == "full"))
			}
			bench.plan.report(b, 1000, "plan")
			bench.apply.report(b, 1000, "apply")
		})
	}
}

func BenchmarkUpdatePrices(b *testing.B) {
	bench := newBench(b)
	const blocks = 6
	for run := range blocks * 5 {
		bench.importProducts(benchDrafts(run, 1000, false))
	}
	bench.plan, bench.apply = stopwatch{}, stopwatch{}
	for run := 0; b.Loop(); run++ {
		drafts := make([]catalog.PriceDraft, 5000)
		for i := range drafts {
			drafts[i] = catalog.PriceDraft{Index: i, SKU: fmt.Sprintf("IMP-%07d%03d", run%blocks*5+i/1000, i%1000),
				Price: money.Amount(run*1000 + i)}
		}
		update := NewPriceUpdate(drafts, nil)
		var plan *PricePlan
		bench.plan.run(b, func() error {
			return bench.store.Read(b.Context(), bench.tenant, func(tx *db.Tx) (err error) {
				plan, err = bench.service.PlanPrices(tx, update)
				return err
			})
		})
		bench.apply.run(b, func() error {
			return bench.store.Write(b.Context(), bench.tenant, func(tx *db.Tx) error {
				if out := plan.Apply(tx); out.Updated != len(drafts) {
					b.Fatal(out)
				}
				return nil
			})
		})
	}
	bench.plan.report(b, 5000, "plan")
	bench.apply.report(b, 5000, "apply")
}
