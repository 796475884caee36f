package fileimport_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/fileimport"
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

// A file that is not stored any more leaves nothing on the node's disk.
func TestACopyThatFailsLeavesNoFile(t *testing.T) {
	engines(t, func(s *shop) {
		i := s.upload(list(10), fileimport.Options{})
		s.write(func(tx *db.Tx) error {
			tx.Queue("DELETE FROM import_parts WHERE tenant_id = $1 AND import_id = $2", tx.Tenant, i.ID)
			return nil
		})
		dir := s.TempDir()
		s.Setenv("TMPDIR", dir)
		if _, _, err := fileimport.Copy(s.Context(), s.store, s.tenant, i.ID); !apperr.Is(err, apperr.Conflict) {
			s.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			s.Error(left, err)
		}
	})
}
