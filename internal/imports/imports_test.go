package imports_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/imports"
	"entrepot/internal/limits"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// desk is a store with one account and a clock that the test moves.
type desk struct {
	*testing.T
	store  *db.DB
	tenant id.Tenant
	now    *atomic.Int64
}

func engines(t *testing.T, test func(d *desk)) {
	now := &atomic.Int64{}
	now.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro())
	dbtest.EnginesAt(t, func() time.Time { return time.UnixMicro(now.Load()) }, func(t *testing.T, store *db.DB) {
		test(&desk{t, store, dbtest.Account(t, store), now})
	})
}

func (d *desk) write(run func(tx *db.Tx) error) error {
	return d.store.Write(d.Context(), d.tenant, run)
}

func (d *desk) must(run func(tx *db.Tx) error) {
	d.Helper()
	if err := d.write(run); err != nil {
		d.Fatal(err)
	}
}

// upload makes an import of a file.
func (d *desk) upload(file []byte) (i imports.Import) {
	d.Helper()
	d.must(func(tx *db.Tx) (err error) {
		i, err = imports.Insert(tx, imports.Products, "list.csv", 0, "")
		return err
	})
	if err := imports.SaveFile(d.Context(), d.store, d.tenant, i.ID, bytes.NewReader(file)); err != nil {
		d.Fatal(err)
	}
	i.Stage, i.Size = imports.New, int64(len(file))
	d.must(func(tx *db.Tx) error { i.Update(tx, imports.Uploading); return nil })
	return i
}

func (d *desk) file(which id.Import) ([]byte, error) {
	var out bytes.Buffer
	err := imports.WriteFile(d.Context(), d.store, d.tenant, which, &out)
	return out.Bytes(), err
}

func kindOf(err error) apperr.Kind {
	if e, ok := apperr.As(err); ok {
		return e.Kind
	}
	return 0
}

// A file is read back unchanged, also one of several pieces; other accounts cannot read it.
func TestFilesComeOutAsTheyWentIn(t *testing.T) {
	engines(t, func(d *desk) {
		noise := make([]byte, 700<<10) // random bytes are not packed any smaller
		random := rand.NewChaCha8([32]byte{7})
		if _, err := io.ReadFull(random, noise); err != nil {
			d.Fatal(err)
		}
		for name, file := range map[string][]byte{"one byte": {'x'}, "several pieces": noise, "text": []byte(strings.Repeat("A,B,1\n", 9999))} {
			i := d.upload(file)
			if got, err := d.file(i.ID); err != nil || !bytes.Equal(got, file) {
				d.Errorf("%s: %d bytes of %d, %v", name, len(got), len(file), err)
			}
			other := dbtest.Account(d, d.store)
			if err := imports.WriteFile(d.Context(), d.store, other, i.ID, io.Discard); kindOf(err) != apperr.Conflict {
				d.Errorf("%s: another account: %v", name, err)
			}
		}
	})
}

// What is uploading or discarded is not there; an import moves on only from the stage in which it was read.
func TestStages(t *testing.T) {
	engines(t, func(d *desk) {
		var half imports.Import
		d.must(func(tx *db.Tx) (err error) {
			half, err = imports.Insert(tx, imports.Products, "half.csv", 0, "")
			return err
		})
		i := d.upload([]byte("x"))
		read := func(which id.Import) (found imports.Import, err error) {
			err = d.write(func(tx *db.Tx) (err error) { found, err = imports.ByID(tx, which); return err })
			return found, err
		}
		if _, err := read(half.ID); kindOf(err) != apperr.NotFound {
			d.Errorf("uploading: %v", err)
		}
		found, err := read(i.ID)
		if err != nil || found.Stage != imports.New || found.Size != 1 || found.Name != "list.csv" {
			d.Fatalf("%+v, %v", found, err)
		}
		d.must(func(tx *db.Tx) error {
			stop, err := imports.StopRequested(tx, i.ID)
			if !stop {
				d.Error("nothing works on it, and yet it goes on")
			}
			return err
		})
		running := found
		running.Stage = imports.Running
		d.must(func(tx *db.Tx) error { running.Update(tx, imports.New); return nil })
		found.Stage = imports.Gone
		if err := d.write(func(tx *db.Tx) error { found.Update(tx, imports.New); return nil }); kindOf(err) != apperr.Conflict {
			d.Errorf("discarded while it runs: %v", err)
		}
		d.must(func(tx *db.Tx) error { imports.RequestStop(tx, i.ID); return nil })
		d.must(func(tx *db.Tx) error {
			stop, err := imports.StopRequested(tx, i.ID)
			if !stop {
				d.Error("the wish to stop is not seen")
			}
			return err
		})
		running.Stage = imports.Gone
		d.must(func(tx *db.Tx) error { running.Update(tx, imports.Running); return nil })
		if _, err := read(i.ID); kindOf(err) != apperr.NotFound {
			d.Errorf("discarded: %v", err)
		}
	})
}

func (d *desk) lines(which id.Import, n int, message string) {
	d.Helper()
	list := make([]imports.Line, n)
	for i := range list {
		list[i] = imports.Line{Import: which, Position: int64(i), Row: int64(i + 1), Refused: i%2 == 0, Rows: 1, Item: "A", Message: message}
	}
	d.must(func(tx *db.Tx) error { imports.InsertLines(tx, list); return nil })
}

func (d *desk) count(which id.Import, refused bool) (n int) {
	d.Helper()
	d.must(func(tx *db.Tx) error {
		n = 0
		return imports.EachLine(tx, which, false, refused, func(imports.Line) error { n++; return nil })
	})
	return n
}

// When their time is over, imports go with their files and lines, in steps; others stay.
func TestExpiredRowsAreDeleted(t *testing.T) {
	engines(t, func(d *desk) {
		old := d.upload([]byte("old"))
		d.lines(old.ID, 25, "no number")
		if all, refused := d.count(old.ID, false), d.count(old.ID, true); all != 25 || refused != 13 {
			d.Fatalf("%d lines, %d refused", all, refused)
		}
		d.now.Add(imports.KeepFile.Microseconds() - 1)
		young := d.upload([]byte("young"))
		expire := func() (steps int) {
			for {
				steps++
				var n int64
				err := d.store.Write(d.Context(), db.Across, func(tx *db.Tx) (err error) { n, err = imports.DeleteExpired(tx, 10); return err })
				if err != nil {
					d.Fatal(err)
				}
				if n < 10 {
					return steps
				}
			}
		}
		expire()
		if d.count(old.ID, false) != 25 {
			d.Error("swept before its time")
		}
		d.now.Add(2)
		if steps := expire(); steps != 3 {
			d.Errorf("%d steps", steps)
		}
		if _, err := d.file(old.ID); d.count(old.ID, false) != 0 || kindOf(err) != apperr.Conflict {
			d.Errorf("left over: %v", err)
		}
		if got, err := d.file(young.ID); string(got) != "young" {
			d.Errorf("%q, %v", got, err)
		}
	})
}

// When a person is erased, files are deleted, and so are report lines that name the person; a running import continues.
func TestForget(t *testing.T) {
	engines(t, func(d *desk) {
		waits, runs, done := d.upload([]byte("waits")), d.upload([]byte("runs")), d.upload([]byte("done"))
		d.lines(done.ID, 3, `"ada@example.com" is no number`)
		d.lines(runs.ID, 3, "no number")
		d.must(func(tx *db.Tx) error {
			runs.Stage, done.Stage = imports.Running, imports.Done
			runs.Update(tx, imports.New)
			done.Update(tx, imports.New)
			return nil
		})
		d.must(func(tx *db.Tx) error {
			patterns := []string{`%ada@example.com%`}
			named, err := imports.Search(tx, 0, patterns)
			later, err2 := imports.Search(tx, tx.Micros()+1, patterns)
			if len(named) != 1 || named[0] != done.ID || len(later) != 0 {
				d.Errorf("named %v, later %v", named, later)
			}
			imports.Forget(tx, named, patterns)
			return errors.Join(err, err2)
		})
		for _, one := range []imports.Import{waits, done} {
			if _, err := d.file(one.ID); kindOf(err) != apperr.Conflict {
				d.Errorf("%s keeps its file: %v", one.Stage, err)
			}
		}
		if got, err := d.file(runs.ID); string(got) != "runs" || d.count(runs.ID, false) != 3 || d.count(done.ID, false) != 0 {
			d.Errorf("%q, %v", got, err)
		}
		d.must(func(tx *db.Tx) error {
			list, err := imports.List(tx, imports.Products, 10)
			if len(list) != 2 || list[0].Name != "file" {
				d.Errorf("%+v", list)
			}
			_, missing := imports.ByID(tx, waits.ID)
			return errors.Join(err, ignore(missing, apperr.NotFound))
		})
	})
}

func ignore(err error, kind apperr.Kind) error {
	if kindOf(err) == kind {
		return nil
	}
	return err
}

// The files of an account that are not imported yet are bounded together; one that is imported, discarded or gone makes room, and other
// accounts have room of their own.
func TestFilesThatWaitAreBounded(t *testing.T) {
	engines(t, func(d *desk) {
		insert := func(tenant id.Tenant, size int64) (i imports.Import, err error) {
			err = d.store.Write(d.Context(), tenant, func(tx *db.Tx) (err error) {
				i, err = imports.Insert(tx, imports.Stock, "list.csv", size, "")
				return err
			})
			return i, err
		}
		first, err := insert(d.tenant, limits.MaxImports-10)
		if err != nil {
			d.Fatal(err)
		}
		if _, err := insert(d.tenant, 11); kindOf(err) != apperr.Conflict {
			d.Errorf("too much: %v", err)
		}
		if _, err := insert(dbtest.Account(d, d.store), 11); err != nil {
			d.Errorf("another account: %v", err)
		}
		if _, err := insert(d.tenant, 10); err != nil {
			d.Errorf("what still fits: %v", err)
		}
		for _, stage := range []imports.Stage{imports.New, imports.Running, imports.Stopped, imports.Broken} {
			was := first.Stage
			first.Stage = stage
			d.must(func(tx *db.Tx) error { first.Update(tx, was); return nil })
			if _, err := insert(d.tenant, 1); kindOf(err) != apperr.Conflict {
				d.Errorf("%s: %v", stage, err)
			}
		}
		was := first.Stage
		first.Stage = imports.Done
		d.must(func(tx *db.Tx) error { first.Update(tx, was); return nil })
		if _, err := insert(d.tenant, 1<<20); err != nil {
			d.Errorf("after the import: %v", err)
		}
	})
}
