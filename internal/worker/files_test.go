package worker

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
)

// upload stores a file of n products and queues the job that checks what importing the file would do.
func (s *shop) upload(n int) (i imports.Import) {
	s.t.Helper()
	var b strings.Builder
	b.WriteString("sku,name,price\n")
	for row := range n {
		fmt.Fprintf(&b, "S-%d,Product %d,%d.50\n", row, row, row)
	}
	content := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(b.String())), nil }
	var o fileimport.Options
	found, err := o.Look(s.t.Context(), imports.Products, content, "list.csv", false)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(func(tx *db.Tx) (err error) {
		i, err = imports.Insert(tx, imports.Products, "list.csv", 0, "")
		return err
	})
	if err := imports.SaveFile(s.t.Context(), s.store, s.tenant, i.ID, strings.NewReader(b.String())); err != nil {
		s.t.Fatal(err)
	}
	if err := fileimport.Put(&i, o, found); err != nil {
		s.t.Fatal(err)
	}
	i.Stage = imports.New
	s.write(func(tx *db.Tx) error { i.Update(tx, imports.Uploading); return nil })
	s.write(func(tx *db.Tx) (err error) {
		i, err = fileimport.Check(tx, accounts.Caller{Tenant: s.tenant}, i)
		return err
	})
	return i
}

func (s *shop) stage(i imports.Import) imports.Import {
	s.t.Helper()
	s.read(func(tx *db.Tx) (err error) { i, err = imports.ByID(tx, i.ID); return err })
	return i
}

// A short job is done while a file is being imported; when the node that imports it stops, one that has just started
// continues.
func TestFilesHoldUpNoOtherJob(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		first := s.start()
		i := s.upload(8000)
		dbtest.Until(t, "the file is tried", func() bool { return s.stage(i).Stage == imports.Checked })
		i = s.stage(i)
		s.write(func(tx *db.Tx) (err error) {
			i, err = fileimport.Begin(tx, accounts.Caller{Tenant: s.tenant}, i)
			return err
		})
		dbtest.Until(t, "the import runs", func() bool { return s.stage(i).Progress != "" })
		short := s.job(s.queue(jobs.Job{Type: jobs.ProductImport, Total: 1}))
		s.stop(first)
		if left := s.stage(i); left.Stage != imports.Running && left.Stage != imports.Done {
			t.Errorf("the node stopped, and the import is %s", left.Stage)
		}
		s.start()
		long := s.job(i.Job)
		if short.Status != jobs.Completed || short.CompletedAt >= long.CompletedAt {
			t.Errorf("the short job is %s, %d µs after the import", short.Status, short.CompletedAt-long.CompletedAt)
		}
		if long.Status != jobs.Completed || long.Created != 8000 || long.Updated != 0 || s.stage(i).Stage != imports.Done {
			t.Errorf("%+v", long)
		}
	})
}
