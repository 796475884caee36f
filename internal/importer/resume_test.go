package importer

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

// An answer that is lost after the order was stored does not make a second order.
func TestLostAnswersMakeNoDoubles(t *testing.T) {
	fake := newFakeService()
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%3 == 0 {
			fake.ServeHTTP(httptest.NewRecorder(), r)
			hangUp(w)
			return
		}
		fake.ServeHTTP(w, r)
	}))
	defer server.Close()
	c := connect(t, server.URL, "pk_live_test")
	o := Options{Kind: Orders, File: write(t, sales(60)), To: c, Map: salesMap, CreateMissing: true}
	s := run(t, o)
	if len(fake.orders) != 60 || s.Stored != 60 || s.Created+s.Existing != 60 || s.Missing != 3 || fake.replays == 0 {
		t.Errorf("%d orders, %d replays, %+v", len(fake.orders), fake.replays, s)
	}
	again := run(t, o)
	if len(fake.orders) != 60 || again.Existing != 60 || again.Created != 0 {
		t.Errorf("the second time: %d orders, %+v", len(fake.orders), again)
	}
	fake.keys = map[string]string{} // a day later the keys are forgotten, the references are not
	later := run(t, o)
	if len(fake.orders) != 60 || later.Existing != 60 || later.Codes["exists"] != 60 || later.RowsRefused != 0 {
		t.Errorf("a day later: %d orders, %+v", len(fake.orders), later)
	}
}

// interrupted runs an import that the service breaks off after some requests, then resumes it until
// it is complete, and returns the last summary.
func interrupted(t *testing.T, fake *fakeService, o Options, every int) Summary {
	t.Helper()
	for round := 0; ; round++ {
		ctx, cancel := context.WithCancel(t.Context())
		var n atomic.Int64
		fake.before(func(http.ResponseWriter, *http.Request, int) bool {
			if n.Add(1) > int64(every) {
				cancel()
			}
			return false
		})
		s, err := Run(ctx, o)
		cancel()
		o.Resume = true
		if err == nil {
			return s
		}
		if stopped, ok := errors.AsType[*StoppedError](err); !ok || !strings.Contains(stopped.Error(), "--resume") || s.Complete {
			t.Fatalf("round %d: %v, %+v", round, err, s)
		}
		if round > 200 {
			t.Fatal("the import does not come to its end")
		}
	}
}

// However often an import is interrupted, in the end report and counters are as if it never was.
func TestInterruptedImportsEndAlike(t *testing.T) {
	dbtest.Long(t, "the import is interrupted at every place")
	for name, kind := range map[string]Options{
		"products": {Kind: Products, Batch: 20},
		"orders":   {Kind: Orders, Batch: 5, Map: salesMap, CreateMissing: true},
	} {
		t.Run(name, func(t *testing.T) {
			text, every := catalog(1000), 9
			if kind.Kind == Orders {
				every = 40 // enough for a few chunks of five
				text = sales(200) + ",Ada,P-1,1,2\nS-x,Ada,P-1,half,2\n"
			}
			run2 := func(interrupt bool) (Summary, string, *fakeService) {
				fake, c := service(t)
				o, dir := kind, t.TempDir()
				o.To, o.File = c, write(t, text)
				o.Report, o.State = filepath.Join(dir, "report.jsonl"), filepath.Join(dir, "state.json")
				var s Summary
				if interrupt {
					s = interrupted(t, fake, o, every)
				} else {
					s = run(t, o)
				}
				report, err := os.ReadFile(o.Report)
				if err != nil {
					t.Fatal(err)
				}
				return s, string(report), fake
			}
			whole, wholeReport, wholeFake := run2(false)
			pieces, piecesReport, piecesFake := run2(true)
			if wholeReport != piecesReport {
				t.Errorf("reports differ:\n%.500s\n---\n%.500s", wholeReport, piecesReport)
			}
			if pieces.RowsStored != whole.RowsStored || pieces.RowsRefused != whole.RowsRefused || pieces.Stored != whole.Stored ||
				pieces.Rows != whole.Rows || !pieces.Resumed || !pieces.Complete {
				t.Errorf("whole %+v\npieces %+v", whole, pieces)
			}
			if len(wholeFake.products) != len(piecesFake.products) || len(wholeFake.orders) != len(piecesFake.orders) {
				t.Errorf("%d and %d products, %d and %d orders", len(wholeFake.products), len(piecesFake.products), len(wholeFake.orders),
					len(piecesFake.orders))
			}
		})
	}
}

// A process that is killed, not stopped, is resumed by the next one.
func TestKilledImportIsResumed(t *testing.T) {
	fake, c := service(t)
	server := httptest.NewServer(fake)
	defer server.Close()
	dir := t.TempDir()
	file := write(t, sales(400))
	o := killedOptions(file, dir)
	reached := make(chan struct{})
	fake.before(func(_ http.ResponseWriter, r *http.Request, n int) bool {
		if n == 120 {
			close(reached)
		}
		if n >= 120 {
			<-r.Context().Done() // the child hangs here until it is killed
			return true
		}
		return false
	})
	child := exec.Command(os.Args[0], "-test.run=TestChildImport$", "-test.v")
	child.Env = append(os.Environ(), "IMPORT_FILE="+file, "IMPORT_DIR="+dir, "IMPORT_URL="+server.URL)
	var output bytes.Buffer
	child.Stdout, child.Stderr = &output, &output
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-reached:
	case <-time.After(5 * time.Minute):
		_ = child.Process.Kill()
		t.Fatalf("the child did not get far enough: %s", output.String())
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
	fake.mu.Lock()
	stored := len(fake.orders)
	fake.mu.Unlock()
	if stored == 0 || stored == 400 {
		t.Fatalf("killed at %d orders", stored)
	}
	fake.before(nil)
	o.To, o.Resume = c, true
	s := run(t, o)
	if len(fake.orders) != 400 || s.Stored != 400 || !s.Resumed || s.Rows != 799 || s.RowsStored != 799 {
		t.Errorf("%d orders, %+v", len(fake.orders), s)
	}
	if s.Requests > 400 {
		t.Errorf("%d requests: it began anew", s.Requests)
	}
}

func killedOptions(file, dir string) Options {
	return Options{
		Kind: Orders, File: file, Map: salesMap, CreateMissing: true, Batch: 4,
		Report: filepath.Join(dir, "report.jsonl"), State: filepath.Join(dir, "state.json"),
	}
}

// TestChildImport is the process that TestKilledImportIsResumed kills; by itself it does nothing.
func TestChildImport(t *testing.T) {
	if os.Getenv("IMPORT_FILE") == "" {
		return
	}
	o := killedOptions(os.Getenv("IMPORT_FILE"), os.Getenv("IMPORT_DIR"))
	o.To = connect(t, os.Getenv("IMPORT_URL"), "pk_live_test")
	_, err := Run(t.Context(), o)
	t.Log(err)
}

func TestStateIsChecked(t *testing.T) {
	_, c := service(t)
	dir := t.TempDir()
	o := Options{Kind: Products, File: write(t, catalog(30)), To: c, State: filepath.Join(dir, "state.json"), Batch: 10}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, o); err == nil {
		t.Fatal("a cancelled import ended well")
	}
	unfinished := state{Version: stateVersion, Kind: Products}
	src, err := openSource(Options{File: o.File})
	if err != nil {
		t.Fatal(err)
	}
	unfinished.SHA256 = src.sha256
	if err := unfinished.save(o.State); err != nil {
		t.Fatal(err)
	}
	expect := func(what, want string, change func(*Options)) {
		t.Helper()
		changed := o
		change(&changed)
		_, err := Run(t.Context(), changed)
		if call, ok := errors.AsType[*CallError](err); !ok || !strings.Contains(call.Message, want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	expect("unfinished", "--resume goes on", func(*Options) {})
	expect("other options", "other options", func(o *Options) { o.Resume = true })
	expect("another file", "another file", func(o *Options) { o.Resume, o.File = true, write(t, catalog(31)) })
	expect("another kind", "import of products", func(o *Options) {
		o.Resume, o.Kind, o.File, o.Map = true, Orders, write(t, sales(2)), salesMap
	})
	if err := os.WriteFile(o.State, []byte("not mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("no state file", "no state file", func(o *Options) { o.Resume = true })
	if err := os.Remove(o.State); err != nil {
		t.Fatal(err)
	}
	run(t, o)
	o.Resume = true
	if s := run(t, o); s.Requests != 1 && s.Rows != 30 {
		t.Errorf("a complete import was done again: %+v", s)
	}
	o.Resume = false
	run(t, o) // a finished state does not stand in the way of a new import
}
