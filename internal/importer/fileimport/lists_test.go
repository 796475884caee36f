package fileimport_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
)

func (s *shop) checked(i imports.Import) (c fileimport.Checked) {
	s.Helper()
	if err := json.Unmarshal([]byte(s.read(i.ID).Checked), &c); err != nil {
		s.Fatal(err)
	}
	return c
}

// changes are the fields that a dry run has found to change: "MUG price 12.5 → 13".
func changes(c fileimport.Checked) (list []string) {
	for _, d := range c.Changed {
		for _, f := range d.Fields {
			list = append(list, fmt.Sprintf("%s %s %s → %s", d.SKU, f.Field, f.From, f.To))
		}
	}
	return list
}

// A price list of SKU and price alone is tried, with each price before and after, and imported; it changes nothing else and creates
// nothing. Rows in another currency, twice in the file, without a price or of an unknown SKU are refused.
func TestAPriceListIsTriedAndImported(t *testing.T) {
	engines(t, func(s *shop) {
		products := s.upload("sku,name,price,compareAtPrice,parent\nMUG,Mug,12.5,15,\nBOWL,Bowl,8,,\nTEA,Tea,4,,\nTEA-S,Small,3,,TEA\n",
			fileimport.Options{})
		s.check(products.ID)
		s.run()
		s.begin(products.ID)
		s.run()
		before, rows := s.products(), dbtest.RowsOf(s.T, s.store, s.tenant, "products")
		i := s.uploadOf(imports.Prices, "sku;price;compareAtPrice;currency\nMUG;13,00;;EUR\nBOWL;8,00;9,50;eur\nTEA-S;2,75;;\nTEA;4,00;;\n"+
			"NONE;1,00;;\nMUG;14,00;;\nTEA;;;\nBOWL;7,00;;USD\n", fileimport.Options{})
		s.check(i.ID)
		if job := s.run(); job.Type != jobs.PriceFileCheck || job.Updated != 3 || job.Failed != 4 {
			s.Errorf("the dry run: %+v", job)
		}
		c := s.checked(i)
		want := "MUG price 12.5 → 13, MUG compareAtPrice 15 → null, BOWL compareAtPrice null → 9.5, TEA-S price 3 → 2.75"
		if got := strings.Join(changes(c), ", "); got != want || c.Unchanged != 1 || c.Created != 0 || len(c.New) != 0 {
			s.Errorf("%s\n%+v", got, c.Counts)
		}
		if want := (fileimport.Moves{Rise: 1, Fall: 1, MostRise: 4, MostFall: 8}); c.Prices != want {
			s.Errorf("prices move as %+v, not %+v", c.Prices, want)
		}
		if now := dbtest.RowsOf(s.T, s.store, s.tenant, "products"); now != rows {
			s.Errorf("the dry run has stored something:\n%s\nbefore it:\n%s", now, rows)
		}
		s.begin(i.ID)
		job := s.run()
		if job.Type != jobs.PriceFileImport || job.Status != jobs.CompletedWithErrors || job.Updated != 4 ||
			job.Created != 0 || job.Failed != 4 || s.products() != before || s.read(i.ID).Stage != imports.Done {
			s.Errorf("the import: %+v, %d products", job, s.products())
		}
		for _, why := range []string{"no product or variant has this SKU", "an earlier row", "no price",
			"in USD, and those of the catalog are in EUR"} {
			if !strings.Contains(job.Errors, why) {
				s.Errorf("no row was refused with %q: %s", why, job.Errors)
			}
		}
		events := dbtest.RowsOf(s.T, s.store, s.tenant, "events")
		if n := strings.Count(events, `"event":"product.updated"`); n != 3 {
			s.Errorf("%d products were updated", n)
		}
	})
}

// A stock list sets what is on hand; the dry run shows each level before and after, and the warehouses that would be created.
func TestAStockListIsTriedAndImported(t *testing.T) {
	engines(t, func(s *shop) {
		s.withMugs()
		i := s.uploadOf(imports.Stock, "sku,quantity,warehouse\nMUG,40,\n"+
			"MUG,3,EAST\nBOWL,1000,\nNONE,1,\nMUG,7,EAST\nBOWL,-2,EAST\nBOWL,few,WEST\n",
			fileimport.Options{})
		s.check(i.ID)
		s.run()
		c := s.checked(i)
		want := "MUG stock in MAIN 1000 → 40, MUG stock in EAST null → 3, BOWL stock in EAST null → 0"
		if got := strings.Join(changes(c), ", "); got != want || c.Unchanged != 1 || strings.Join(c.Warehouses, " ") != "EAST" {
			s.Errorf("%s, warehouses %v\n%+v", got, c.Warehouses, c.Counts)
		}
		if s.count("warehouses") != 1 {
			s.Error("the dry run has created a warehouse")
		}
		s.begin(i.ID)
		if job := s.run(); job.Type != jobs.StockFileImport || job.Updated != 4 || job.Failed != 3 || s.count("warehouses") != 2 {
			s.Errorf("the import: %+v, %d warehouses", job, s.count("warehouses"))
		}
		var onHand, ledger int64
		s.write(func(tx *db.Tx) error {
			if err := tx.Row("SELECT sum(on_hand) FROM stock_levels WHERE tenant_id = $1", []any{tx.Tenant}, &onHand); err != nil {
				return err
			}
			return tx.Row("SELECT sum(delta) FROM movements WHERE tenant_id = $1", []any{tx.Tenant}, &ledger)
		})
		if onHand != 1043 || ledger != onHand {
			s.Errorf("on hand %d, by the ledger %d", onHand, ledger)
		}
	})
}

// A list that a killed node was importing goes on with every row counted once.
func TestAKilledPriceListGoesOn(t *testing.T) {
	engines(t, func(s *shop) {
		var products, list strings.Builder
		products.WriteString("sku,name,price\n")
		list.WriteString("sku,price\n")
		for n := range 1200 {
			fmt.Fprintf(&products, "P-%d,Product,1\n", n)
			fmt.Fprintf(&list, "P-%d,2\n", n)
		}
		i := s.upload(products.String(), fileimport.Options{})
		s.check(i.ID)
		s.run()
		s.begin(i.ID)
		s.run()
		i = s.uploadOf(imports.Prices, list.String(), fileimport.Options{})
		s.check(i.ID)
		s.run()
		s.begin(i.ID)
		stored := s.read(i.ID)
		s.run()
		first := s.read(i.ID)
		s.write(func(tx *db.Tx) error { // as if the node had died before it stored its progress
			stored.Stage = imports.Checked
			stored.Update(tx, first.Stage)
			return nil
		})
		s.begin(i.ID)
		if job := s.run(); job.Updated != 1200 || job.Failed != 0 {
			s.Errorf("%+v", job)
		}
		events := dbtest.RowsOf(s.T, s.store, s.tenant, "events")
		if n := strings.Count(events, `"event":"product.updated"`); n != 1200 {
			s.Errorf("%d products were updated", n)
		}
	})
}

// Files are imported with the settings of the account: its currency is in the events, and unknown warehouses are refused if it says so.
func TestImportsFollowTheAccountsSettings(t *testing.T) {
	engines(t, func(s *shop) {
		s.write(func(tx *db.Tx) error {
			account, err := accounts.LockOwn(tx)
			account.Currency, account.Settings.StrictWarehouses = "CHF", true
			account.Save(tx)
			return err
		})
		i := s.upload("sku,name,price,stock,warehouse\nMUG,Mug,12.5,3,\nBOWL,Bowl,8,3,NOWHERE\n", fileimport.Options{})
		s.check(i.ID)
		s.run()
		s.begin(i.ID)
		job := s.run()
		events := dbtest.RowsOf(s.T, s.store, s.tenant, "events")
		if job.Created != 1 || job.Failed != 1 || !strings.Contains(job.Errors, "NOWHERE") || !strings.Contains(events, `"currency":"CHF"`) {
			s.Errorf("%+v\n%s", job, events)
		}
	})
}
