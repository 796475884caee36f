package commerce_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/exports"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
)

// exporter is an account with customers, and a clock that the test moves.
type exporter struct {
	*testing.T
	store *db.DB
	do    *commerce.Service
	who   accounts.Caller
	now   *atomic.Int64
}

func exporters(t *testing.T, people int, test func(x *exporter)) {
	now := &atomic.Int64{}
	now.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro())
	dbtest.EnginesAt(t, func() time.Time { return time.UnixMicro(now.Add(1)) }, func(t *testing.T, store *db.DB) {
		x := &exporter{t, store, &commerce.Service{}, accounts.Caller{Tenant: dbtest.Account(t, store), Scopes: accounts.AllScopes, Key: id.New[id.Key]()}, now}
		for piece := range people / 100 {
			x.must(func(tx *db.Tx) error {
				for n := range 100 {
					_, err := x.do.CreateCustomer(tx, customers.Change{Email: patch.To(fmt.Sprintf("buyer%d@x.example", 100*piece+n))})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		test(x)
	})
}

func (x *exporter) write(run func(tx *db.Tx) error) error {
	return x.store.Write(x.Context(), x.who.Tenant, run)
}

func (x *exporter) must(run func(tx *db.Tx) error) {
	x.Helper()
	if err := x.write(run); err != nil {
		x.Fatal(err)
	}
}

// begin queues an export of all customers.
func (x *exporter) begin() (job jobs.Job) {
	x.Helper()
	draft := commerce.ExportDraft{Kind: exports.Customers, Format: exports.JSONLines,
		ExportFilter: commerce.ExportFilter{Customers: &customers.Filter{}}}
	x.must(func(tx *db.Tx) error {
		total, err := x.do.CountExport(tx, draft)
		if err == nil {
			job, err = x.do.CreateExport(tx, x.who, draft, total)
		}
		return err
	})
	return job
}

// claim takes the export that is due; ok is false if there is none.
func (x *exporter) claim(lease time.Duration) (job jobs.Job, ok bool) {
	x.Helper()
	err := x.store.Write(x.Context(), db.Across, func(tx *db.Tx) (err error) {
		job, ok, err = jobs.ClaimExport(tx, lease)
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	return job, ok
}

// file is the file of an export, or why there is none.
func (x *exporter) file(which id.Job) (string, error) {
	var e exports.Export
	err := x.store.Read(x.Context(), x.who.Tenant, func(tx *db.Tx) (err error) {
		if e, err = exports.ByID(tx, which); err == nil {
			err = e.Download(tx.Now())
		}
		return err
	})
	var out bytes.Buffer
	if err == nil {
		err = exports.WriteFile(x.Context(), x.store, e, &out)
	}
	return out.String(), err
}

func (x *exporter) job(which id.Job) (job jobs.Job) {
	x.Helper()
	x.must(func(tx *db.Tx) (err error) {
		job, err = jobs.ByID(tx, which)
		list := []jobs.Job{job}
		if err == nil {
			err = exports.Attach(tx, list)
		}
		job = list[0]
		return err
	})
	return job
}

// parts is how many pieces of files are stored.
func (x *exporter) parts() (n int64) {
	x.Helper()
	x.must(func(tx *db.Tx) error {
		return tx.Row("SELECT count(*) FROM export_parts WHERE tenant_id = $1", []any{tx.Tenant}, &n)
	})
	return n
}

// Wherever the node dies, no half file can be downloaded, and the next one writes a whole one.
func TestAKilledExportBeginsAnew(t *testing.T) {
	exporters(t, 1200, func(x *exporter) {
		job := x.begin()
		dbtest.DiesAtEveryStep(x.T, 3, func(ctx context.Context, n int64) error {
			held, ok := x.claim(time.Minute)
			if !ok {
				x.Fatal("the export is not due")
			}
			err := x.do.RunExport(ctx, x.store, held, time.Minute)
			if _, missing := x.file(job.ID); err != nil && code(missing) != "export_not_ready" {
				x.Errorf("behind step %d: %v, %v", n, err, missing)
			}
			x.now.Add((2 * time.Minute).Microseconds())
			return err
		})
		file, err := x.file(job.ID)
		if lines := strings.Count(file, "\n"); err != nil || lines != 1200 {
			x.Errorf("%d lines, %v", lines, err)
		}
		if done := x.job(job.ID); done.Status != jobs.Completed || done.Processed != 1200 || done.Result.Rows != 1200 ||
			done.Result.Bytes != int64(len(file)) || !done.Result.Kept {
			x.Errorf("%+v %+v", done, done.Result)
		}
	})
}

// A node that has lost the job stores nothing more, and a caller who stops the job takes it from its node.
func TestALostExportStoresNothing(t *testing.T) {
	exporters(t, 100, func(x *exporter) {
		job := x.begin()
		held, _ := x.claim(-time.Second) // its lease is over at once: two nodes have it
		other, _ := x.claim(time.Minute)
		if err := x.do.RunExport(x.Context(), x.store, held, time.Minute); err != jobs.ErrLost {
			x.Errorf("who has lost the job goes on: %v", err)
		}
		ctx := dbtest.BeforeWrite(x.Context(), func() {
			x.must(func(tx *db.Tx) error { _, err := x.do.ActOnJob(tx, x.who, job.ID, commerce.StopJob); return err })
		})
		if err := x.do.RunExport(ctx, x.store, other, time.Minute); err != jobs.ErrLost {
			x.Errorf("a stopped job goes on: %v", err)
		}
		if _, err := x.file(job.ID); code(err) != "export_gone" {
			x.Errorf("%v", err)
		}
		if stopped := x.job(job.ID); stopped.Status != jobs.CompletedWithErrors || stopped.Result != nil || x.parts() != 0 {
			x.Errorf("%+v, %d pieces", stopped, x.parts())
		}
	})
}

// An erasure deletes the files of persons, also one that is being written, whose job says why it has none.
func TestAnErasureDeletesExports(t *testing.T) {
	exporters(t, 100, func(x *exporter) {
		done := x.begin()
		held, _ := x.claim(time.Minute)
		if err := x.do.RunExport(x.Context(), x.store, held, time.Minute); err != nil {
			x.Fatal(err)
		}
		if file, err := x.file(done.ID); err != nil || !strings.Contains(file, "buyer7@x.example") || x.parts() == 0 {
			x.Fatalf("%v, %d pieces", err, x.parts())
		}
		writing := x.begin()
		held, _ = x.claim(time.Minute)
		x.must(func(tx *db.Tx) error {
			_, err := exports.Begin(tx, writing.ID)
			exports.SavePart(tx, writing.ID, 0, []byte("x"))
			return err
		})
		if err := x.do.EraseCustomer(x.Context(), x.store, x.who, x.list()[0].ID, nil); err != nil {
			x.Fatal(err)
		}
		if x.parts() != 0 {
			x.Errorf("%d pieces are left", x.parts())
		}
		for _, which := range []id.Job{done.ID, writing.ID} {
			if _, err := x.file(which); code(err) != "export_gone" {
				x.Errorf("%v", err)
			}
		}
		if err := x.do.RunExport(x.Context(), x.store, held, time.Minute); err != nil {
			x.Fatal(err)
		}
		if failed := x.job(writing.ID); failed.Status != jobs.Failed || !strings.Contains(failed.Errors, "export_gone") {
			x.Errorf("%+v", failed)
		}
	})
}

func (x *exporter) list() (list []customers.Customer) {
	x.Helper()
	x.must(func(tx *db.Tx) (err error) {
		list, _, err = customers.List(tx, customers.Filter{Limit: 1})
		return err
	})
	return list
}

// A file and its link end a day after it is complete. The account may have so many exports at once, and the sizes of ended ones are known as
// long as their jobs.
func TestExportsEnd(t *testing.T) {
	exporters(t, 100, func(x *exporter) {
		job := x.begin()
		for range limits.MaxExportsOpen - 1 {
			x.begin()
		}
		draft := commerce.ExportDraft{Kind: exports.Products, Format: exports.CSV}
		another := func() error {
			return x.write(func(tx *db.Tx) error { _, err := x.do.CreateExport(tx, x.who, draft, 0); return err })
		}
		if err := another(); code(err) != "too_many_exports" {
			x.Errorf("one more: %v", err)
		}
		for range limits.MaxExportsOpen {
			held, ok := x.claim(time.Minute)
			if !ok {
				x.Fatal("none is due")
			}
			if _, more := x.claim(time.Minute); more {
				x.Error("two of an account run at once")
			}
			if err := x.do.RunExport(x.Context(), x.store, held, time.Minute); err != nil {
				x.Fatal(err)
			}
		}
		result := x.job(job.ID)
		link := x.do.ExportLink(x.who.Tenant, result)
		signature := link[strings.LastIndexByte(link, '/')+1:]
		linked := func() error {
			return x.store.Read(x.Context(), db.Across, func(tx *db.Tx) error { _, err := x.do.ExportOfLink(tx, job.ID, signature); return err })
		}
		if err := linked(); err != nil {
			x.Errorf("the link: %v", err)
		}
		x.now.Add(exports.Keep.Microseconds())
		if err := linked(); code(err) != "export_gone" {
			x.Errorf("the link, a day later: %v", err)
		}
		if _, err := x.file(job.ID); code(err) != "export_gone" {
			x.Errorf("a day later: %v", err)
		}
		sweep := func() {
			for {
				var n int64
				err := x.store.Write(x.Context(), db.Across, func(tx *db.Tx) (err error) { n, err = exports.DeleteExpired(tx, 100); return err })
				if err != nil {
					x.Fatal(err)
				}
				if n < 100 {
					return
				}
			}
		}
		sweep()
		if left := x.job(job.ID); x.parts() != 0 || left.Result == nil || left.Result.Kept || left.Result.Rows != 100 {
			x.Errorf("%d pieces, %+v", x.parts(), left.Result)
		}
		if err := another(); err != nil {
			x.Errorf("the next day: %v", err)
		}
		x.now.Add(exports.KeepRow.Microseconds())
		sweep()
		if rows := dbtest.RowsOf(x.T, x.store, x.who.Tenant, "exports"); strings.Contains(rows, string(job.ID)) {
			x.Errorf("%s", rows)
		}
	})
}

func code(err error) string {
	if e, ok := apperr.As(err); ok {
		return e.Code
	}
	return ""
}
