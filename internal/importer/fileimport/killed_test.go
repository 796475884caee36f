package fileimport_test

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
)

// A dry run that was killed starts again from the first row: what it shows is the whole file, and each refused row is reported once.
func TestAKilledDryRunStartsAgain(t *testing.T) {
	engines(t, func(s *shop) {
		for {
			i := s.upload(list(3000), fileimport.Options{})
			s.check(i.ID)
			job := s.claim()
			ctx, kill := context.WithCancel(s.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer kill()
				for ctx.Err() == nil && s.job(job.ID).Processed == 0 {
				}
			}()
			err := s.runner.Run(ctx, job, lease)
			kill()
			<-done
			if err == nil {
				continue // it was faster
			}
			if !errors.Is(err, context.Canceled) {
				s.Fatal(err)
			}
			s.write(func(tx *db.Tx) error { // its lease ends
				tx.Queue("UPDATE jobs SET due_at = 0 WHERE tenant_id = $1 AND id = $2", tx.Tenant, job.ID)
				return nil
			})
			s.run()
			c := s.checked(i)
			if c.Rows != 3000 || c.Created != 2700 || c.RowsRefused != 300 || len(c.New) == 0 || c.New[0].SKU != "S-0" {
				s.Errorf("%+v, %d new, the first %+v", c.Counts, len(c.New), c.New[:min(1, len(c.New))])
			}
			lines := 0
			s.write(func(tx *db.Tx) error {
				lines = 0
				return imports.EachLine(tx, i.ID, true, true, func(imports.Line) error { lines++; return nil })
			})
			if lines != 300 {
				s.Errorf("%d refused rows are reported", lines)
			}
			return
		}
	})
}

// The node's copy of a file has no name: orders of people do not outlive a process that is killed, or their erasure, in a
// temporary folder.
func TestACopyLeavesNoFile(t *testing.T) {
	engines(t, func(s *shop) {
		i := s.upload(list(10), fileimport.Options{})
		dir := s.TempDir()
		s.Setenv("TMPDIR", dir)
		file, err := fileimport.Copy(s.Context(), s.store, s.tenant, i.ID)
		if err != nil {
			s.Fatal(err)
		}
		defer file.Close()
		content, _ := file.Open()
		if text, err := io.ReadAll(content); string(text) != list(10) || err != nil {
			s.Errorf("the copy holds %q, %v", text, err)
		}
		if named, err := os.ReadDir(dir); err != nil || len(named) > 0 {
			s.Error(named, err)
		}
		s.write(func(tx *db.Tx) error {
			tx.Queue("DELETE FROM import_parts WHERE tenant_id = $1 AND import_id = $2", tx.Tenant, i.ID)
			return nil
		})
		if _, err := fileimport.Copy(s.Context(), s.store, s.tenant, i.ID); !apperr.Is(err, apperr.Conflict) {
			s.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			s.Error(left, err)
		}
	})
}
