package fileimport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// shop is a store with one account, in which files are imported.
type shop struct {
	*testing.T
	store  *db.DB
	tenant id.Tenant
	runner *fileimport.Runner
}

func engines(t *testing.T, test func(s *shop)) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		service := &commerce.Service{Dev: true, Numbers: orders.NewNumbers()}
		test(&shop{t, store, dbtest.Account(t, store), &fileimport.Runner{Store: store, Commerce: service}})
	})
}

func (s *shop) who() accounts.Caller { return accounts.Caller{Tenant: s.tenant} }

func (s *shop) write(run func(tx *db.Tx) error) {
	s.Helper()
	if err := s.store.Write(s.Context(), s.tenant, run); err != nil {
		s.Fatal(err)
	}
}

// upload keeps a file, and what is found out about it.
func (s *shop) upload(text string, o fileimport.Options) imports.Import {
	s.Helper()
	return s.uploadOf(imports.Products, text, o)
}

func (s *shop) uploadOf(kind imports.Kind, text string, o fileimport.Options) imports.Import {
	s.Helper()
	content := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	found, err := o.Look(s.Context(), kind, content, "list.csv", kind == imports.Orders)
	if err != nil {
		s.Fatal(err)
	}
	o.Columns = map[string]string{}
	for _, c := range found.Columns {
		if c.Guessed {
			o.Columns[c.Name] = c.Field
		}
	}
	var i imports.Import
	s.write(func(tx *db.Tx) (err error) { i, err = imports.Insert(tx, kind, "list.csv", 0, ""); return err })
	if err := imports.SaveFile(s.Context(), s.store, s.tenant, i.ID, strings.NewReader(text)); err != nil {
		s.Fatal(err)
	}
	if err := fileimport.Put(&i, o, found); err != nil {
		s.Fatal(err)
	}
	i.Stage, i.Size = imports.New, int64(len(text))
	s.write(func(tx *db.Tx) error { i.Update(tx, imports.Uploading); return nil })
	return i
}

func (s *shop) read(which id.Import) (i imports.Import) {
	s.Helper()
	s.write(func(tx *db.Tx) (err error) { i, err = imports.ByID(tx, which); return err })
	return i
}

func (s *shop) job(which id.Job) (j jobs.Job) {
	s.Helper()
	s.write(func(tx *db.Tx) (err error) { j, err = jobs.ByID(tx, which); return err })
	return j
}

const lease = time.Minute

// claim takes the job of a file that is due.
func (s *shop) claim() (job jobs.Job) {
	s.Helper()
	err := s.store.Write(s.Context(), db.Across, func(tx *db.Tx) error {
		found, ok, err := jobs.ClaimOfFile(tx, lease)
		if job = found; !ok && err == nil {
			return errors.New("no job of a file is due")
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return job
}

// run does the job of a file that is due.
func (s *shop) run() jobs.Job {
	s.Helper()
	job := s.claim()
	if err := s.runner.Run(s.Context(), job, lease); err != nil {
		s.Fatal(err)
	}
	return s.job(job.ID)
}

// check and begin queue a job for an import.
func (s *shop) check(which id.Import) {
	s.Helper()
	i := s.read(which)
	s.write(func(tx *db.Tx) error { _, err := fileimport.Check(tx, s.who(), i); return err })
}

func (s *shop) begin(which id.Import) {
	s.Helper()
	i := s.read(which)
	s.write(func(tx *db.Tx) error { _, err := fileimport.Begin(tx, s.who(), i); return err })
}

func (s *shop) products() (n int64) {
	s.Helper()
	s.write(func(tx *db.Tx) error {
		return tx.Row("SELECT count(*) FROM products WHERE tenant_id = $1", []any{tx.Tenant}, &n)
	})
	return n
}

// list is a file of n products, of which every tenth has no price.
func list(n int) string {
	var b strings.Builder
	b.WriteString("sku;name;price;category;stock\n")
	for i := range n {
		price := fmt.Sprintf("%d,50", i)
		if i%10 == 9 {
			price = "auf Anfrage"
		}
		fmt.Fprintf(&b, "S-%d;Product %d;%s;Kitchen > Cups;%d\n", i, i, price, i)
	}
	return b.String()
}

// What was tried is what is stored: the figures of both, the refused rows, one event at the end, and a file that is imported again changes
// nothing.
func TestAFileIsTriedAndImported(t *testing.T) {
	engines(t, func(s *shop) {
		i := s.upload(list(1000), fileimport.Options{})
		s.check(i.ID)
		if job := s.run(); job.Status != jobs.CompletedWithErrors || job.Created != 900 || job.Failed != 100 || s.products() != 0 {
			s.Errorf("the dry run: %+v, %d products", job, s.products())
		}
		var checked fileimport.Checked
		if err := json.Unmarshal([]byte(s.read(i.ID).Checked), &checked); err != nil || checked.Rows != 1000 || checked.Created != 900 ||
			checked.RowsRefused != 100 || checked.Codes["bad_amount"] != 100 || len(checked.New) != 50 || len(checked.Changed) != 0 {
			s.Errorf("%+v, %v", checked, err)
		}
		s.begin(i.ID)
		job := s.run()
		if job.Status != jobs.CompletedWithErrors || job.Created != 900 || job.Processed != 1000 || s.products() != 900 ||
			strings.Count(job.Errors, `"code":"bad_amount"`) != 100 {
			s.Errorf("the import: %+v, %d products", job, s.products())
		}
		if i := s.read(i.ID); i.Stage != imports.Done {
			s.Errorf("%+v", i)
		}
		if events := dbtest.RowsOf(s.T, s.store, s.tenant, "events"); strings.Count(events, `"event":"channel.sync_completed"`) != 1 {
			s.Errorf("%d events of the end", strings.Count(events, `"event":"channel.sync_completed"`))
		}
		again := s.upload(list(1000), fileimport.Options{})
		s.check(again.ID)
		s.run()
		if err := json.Unmarshal([]byte(s.read(again.ID).Checked), &checked); err != nil || checked.Unchanged != 900 {
			s.Errorf("again: %+v, %v", checked.Counts, err)
		}
	})
}

// The changes that a dry run shows are those of the file: fields and stock, before and after.
func TestADryRunShowsChanges(t *testing.T) {
	engines(t, func(s *shop) {
		first := s.upload("sku,name,price,stock\nA,Cup,1.5,3\nB,Bowl,2,0\n", fileimport.Options{})
		s.check(first.ID)
		s.run()
		s.begin(first.ID)
		s.run()
		second := s.upload("sku,name,price,stock\nA,Mug,1.75,5\nB,Bowl,2,0\nC,Pot,9,1\n", fileimport.Options{})
		s.check(second.ID)
		s.run()
		var c fileimport.Checked
		if err := json.Unmarshal([]byte(s.read(second.ID).Checked), &c); err != nil {
			s.Fatal(err)
		}
		text, err := json.Marshal(c.Changed)
		if err != nil {
			s.Fatal(err)
		}
		want := `[{"sku":"A","name":"Mug","fields":[{"field":"name","from":"Cup","to":"Mug"},{"field":"price","from":1.5,"to":1.75},` +
			`{"field":"stock in MAIN","from":3,"to":5}]}]`
		if string(text) != want || len(c.New) != 1 || c.New[0].SKU != "C" || c.Unchanged != 1 {
			s.Errorf("%s\nnew %+v, the same %d", text, c.New, c.Unchanged)
		}
	})
}

// However often the node dies, every product is stored once, and every row is counted and reported once.
func TestAKilledImportGoesOn(t *testing.T) {
	engines(t, func(s *shop) {
		i := s.upload(list(3000), fileimport.Options{})
		s.check(i.ID)
		s.run()
		s.begin(i.ID)
		kills := 0
		for {
			job := s.claim()
			ctx, kill := context.WithCancel(s.Context())
			before := job.Processed
			done := make(chan struct{})
			go func() { // once something is settled, the node is stopped, or dies with its last part stored and not counted
				defer close(done)
				for ctx.Err() == nil && s.job(job.ID).Processed <= before {
				}
				if kills%2 == 1 {
					kill()
				} else if ctx.Err() == nil {
					s.write(func(tx *db.Tx) error {
						tx.Queue("UPDATE jobs SET tries = tries + 1 WHERE tenant_id = $1 AND id = $2", tx.Tenant, job.ID)
						return nil
					})
				}
			}()
			err := s.runner.Run(ctx, job, lease)
			kill()
			<-done
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) && !errors.Is(err, jobs.ErrLost) {
				s.Fatal(err)
			}
			kills++
			s.write(func(tx *db.Tx) error { // its lease ends
				tx.Queue("UPDATE jobs SET due_at = 0 WHERE tenant_id = $1 AND id = $2", tx.Tenant, job.ID)
				return nil
			})
		}
		after := s.read(i.ID)
		job := s.job(after.Job)
		if kills == 0 || job.Created != 2700 || job.Updated != 0 || job.Failed != 300 || s.products() != 2700 || after.Stage != imports.Done {
			s.Errorf("after %d kills: %+v, %d products, %s", kills, job, s.products(), after.Stage)
		}
		rows := map[int64]int{}
		s.write(func(tx *db.Tx) error {
			return imports.EachLine(tx, i.ID, false, true, func(l imports.Line) error { rows[l.Row]++; return nil })
		})
		for row, n := range rows {
			if n != 1 {
				s.Errorf("row %d is reported %d times", row, n)
			}
		}
		if len(rows) != 300 {
			s.Errorf("%d rows are reported", len(rows))
		}
	})
}

// A user stops an import and resumes it; a dry run that was stopped is deleted.
func TestStopAndGoOn(t *testing.T) {
	engines(t, func(s *shop) {
		i := s.upload(list(1000), fileimport.Options{})
		s.check(i.ID)
		s.write(func(tx *db.Tx) error { imports.RequestStop(tx, i.ID); return nil })
		if job, i := s.run(), s.read(i.ID); job.Status != jobs.Failed || i.Stage != imports.New || i.Checked != "" || i.Progress != "" {
			s.Errorf("a dry run: %+v %+v", job, i)
		}
		s.check(i.ID)
		s.run()
		s.begin(i.ID)
		s.write(func(tx *db.Tx) error { imports.RequestStop(tx, i.ID); return nil })
		job := s.run()
		stopped := s.read(i.ID)
		if job.Status != jobs.Failed || !strings.Contains(job.Errors, "stopped by a person") || stopped.Stage != imports.Stopped ||
			job.Processed >= 1000 {
			s.Errorf("%+v %+v", job, stopped)
		}
		if events := dbtest.RowsOf(s.T, s.store, s.tenant, "events"); strings.Contains(events, "channel.sync_failed") {
			s.Error("a stop is reported as a failure")
		}
		s.begin(i.ID)
		if job := s.run(); job.Created != 900 || job.Processed != 1000 || s.products() != 900 {
			s.Errorf("gone on: %+v, %d products", job, s.products())
		}
	})
}

// What cannot be imported any more ends with a reason, and nothing is half done in silence.
func TestImportsThatCannotGoOn(t *testing.T) {
	engines(t, func(s *shop) {
		gone := s.upload(list(10), fileimport.Options{Channel: id.New[id.Channel]()})
		s.check(gone.ID)
		if job, i := s.run(), s.read(gone.ID); job.Status != jobs.Failed || i.Stage != imports.New || !strings.Contains(i.Failure, "channel") {
			s.Errorf("an unknown channel: %+v %+v", job, i)
		} else if strings.Contains(job.Errors, "index") {
			s.Errorf("an error that is about no row has an index: %s", job.Errors)
		}
		dropped := s.upload(list(10), fileimport.Options{})
		s.check(dropped.ID)
		s.run()
		s.begin(dropped.ID)
		s.write(func(tx *db.Tx) error {
			tx.Queue("DELETE FROM import_parts WHERE tenant_id = $1 AND import_id = $2::UUID", tx.Tenant, dropped.ID)
			return nil
		})
		if job, i := s.run(), s.read(dropped.ID); job.Status != jobs.Failed || i.Stage != imports.Broken ||
			i.Failure != "the file is not kept any more; choose it again" {
			s.Errorf("without its file: %+v %+v", job, i)
		}
		ambiguous := s.upload("sku,name,price\nA,B,1.050\n", fileimport.Options{})
		err := s.store.Write(s.Context(), s.tenant, func(tx *db.Tx) error { _, err := fileimport.Check(tx, s.who(), ambiguous); return err })
		if e, ok := apperr.As(err); !ok || e.Kind != apperr.Invalid || !strings.Contains(e.Message, "1.050") {
			s.Errorf("ambiguous amounts: %v", err)
		}
		untried := s.upload(list(10), fileimport.Options{})
		err = s.store.Write(s.Context(), s.tenant, func(tx *db.Tx) error { _, err := fileimport.Begin(tx, s.who(), untried); return err })
		if e, ok := apperr.As(err); !ok || e.Kind != apperr.Conflict {
			s.Errorf("an import that was not tried: %v", err)
		}
	})
}

// Refused rows come back as a file of the same columns, with the reason; corrected, they are all stored.
func TestRefusedRowsAreCorrected(t *testing.T) {
	engines(t, func(s *shop) {
		i := s.upload(list(100), fileimport.Options{})
		s.check(i.ID)
		s.run()
		s.begin(i.ID)
		s.run()
		var out bytes.Buffer
		if err := fileimport.WriteRefusedRows(s.Context(), s.store, s.tenant, s.read(i.ID), false, "csv", &out); err != nil {
			s.Fatal(err)
		}
		if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 11 ||
			!strings.HasPrefix(lines[1], "S-9;Product 9;auf Anfrage;Kitchen > Cups;9;") {
			s.Fatalf("%q", out.String())
		}
		corrected := s.upload(strings.ReplaceAll(out.String(), "auf Anfrage", "7,25"), fileimport.Options{})
		s.check(corrected.ID)
		s.run()
		s.begin(corrected.ID)
		if job := s.run(); job.Status != jobs.Completed || job.Created != 10 || s.products() != 100 {
			s.Errorf("%+v, %d products", job, s.products())
		}
		out.Reset()
		if err := fileimport.Report(s.Context(), s.store, s.tenant, s.read(i.ID), false, "csv", &out); err != nil ||
			strings.Count(out.String(), ",bad_amount,") != 10 {
			s.Errorf("%v\n%s", err, out.String())
		}
	})
}

// What could not be written is an error, also of a file that is so small that it is written at the end.
func TestFilesThatCannotBeWritten(t *testing.T) {
	engines(t, func(s *shop) {
		i := s.upload("sku,name,price\nA,B,\n", fileimport.Options{})
		s.check(i.ID)
		s.run()
		i, full := s.read(i.ID), errors.New("no space left")
		for name, write := range map[string]func(to io.Writer) error{
			"refused rows": func(to io.Writer) error {
				return fileimport.WriteRefusedRows(s.Context(), s.store, s.tenant, i, true, "csv", to)
			},
			"report": func(to io.Writer) error { return fileimport.Report(s.Context(), s.store, s.tenant, i, true, "csv", to) },
			"before": func(to io.Writer) error { return fileimport.Before(s.Context(), s.store, s.tenant, i, "csv", to) },
		} {
			disk, to := io.Pipe()
			disk.CloseWithError(full)
			if err := write(to); !errors.Is(err, full) {
				s.Errorf("%s: %v", name, err)
			}
		}
	})
}

// Reasons name no flags of the command line.
func TestReasonsWithoutFlags(t *testing.T) {
	engines(t, func(s *shop) {
		i := s.upload("sku,name,price\nA,B,\n,B,1\nC,,1\n", fileimport.Options{})
		s.check(i.ID)
		s.run()
		var reasons []string
		s.write(func(tx *db.Tx) error {
			reasons = nil
			return imports.EachLine(tx, i.ID, true, true, func(l imports.Line) error { reasons = append(reasons, l.Message); return nil })
		})
		if got := strings.Join(reasons, ". "); got != "the row has no price. the row has no SKU. the row has no name" {
			s.Error(got)
		}
	})
}
