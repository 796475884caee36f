package dashboard

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/importer"
	"entrepot/internal/importer/client"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
)

// give sends a file as the browser's form does.
func (b *browser) give(name string, file io.Reader) reply {
	b.s.t.Helper()
	return b.giveTo(importsPath, name, file)
}

// giveTo is give for a kind of files.
func (b *browser) giveTo(path, name string, file io.Reader) reply {
	b.s.t.Helper()
	return b.sendFile(path, b.get(path).key(b.s.t, path), name, file)
}

func (b *browser) giveWith(key, name string, file io.Reader) reply {
	b.s.t.Helper()
	return b.sendFile(importsPath, key, name, file)
}

func (b *browser) sendFile(path, key, name string, file io.Reader) reply {
	b.s.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("_key", key)
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = io.Copy(part, file)
	}
	if err != nil || form.Close() != nil {
		b.s.t.Fatal(err)
	}
	return b.send("POST", prefix+path, &body, form.FormDataContentType())
}

// runImports does the jobs of files that are due.
func (s *site) runImports() {
	s.t.Helper()
	runner := &fileimport.Runner{Store: s.DB, Commerce: s.Commerce}
	for {
		var job jobs.Job
		var due bool
		s.do(db.Across, func(tx *db.Tx) (err error) {
			job, due, err = jobs.ClaimOfFile(tx, time.Minute)
			return err
		})
		if !due {
			return
		}
		if err := runner.Run(s.t.Context(), job, time.Minute); err != nil {
			s.t.Fatal(err)
		}
	}
}

// importOf is the import that a redirect leads to.
func importOf(r reply) string { return strings.TrimPrefix(r.to(), prefix) }

const mugs = "sku;name;price;stock;category\nMUG;Mug;12,50;3;Kitchen > Cups\nBOWL;Bowl;8,00;2;Kitchen\nPOT;Pot;auf Anfrage;1;\n"

// Without a script: a file is given, its columns are looked at, importing it is tried and done; the refused row is mended and given again.
func TestImportOfAFile(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		has(t, b.get("/products"), "Import")
		given := b.give("mugs.csv", strings.NewReader(mugs))
		page := b.follow(given)
		at := importOf(given)
		has(t, page, "mugs.csv", "3 rows", "5 columns", "UTF-8", "cells separated by “;”", "price: a comma begins the decimals",
			"Columns to choose", "12,50 · 8,00 · auf Anfrage")
		page = b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
		has(t, page, "Being checked", "Nothing is stored yet.", "Stop")
		s.runImports()
		page = b.get(at)
		has(t, page, "Checked, not imported", "2 new products", "0 changed", "1 row refused", "Import 2 products", "auf Anfrage",
			"MUG Mug", "Download rows")
		if n := s.countProducts(); n != 0 {
			t.Errorf("%d products are stored by a check", n)
		}
		page = b.follow(b.submit(t, page, at+"/run"))
		has(t, page, "Running", "the import goes on")
		s.runImports()
		page = b.get(at)
		has(t, page, "Done, some refused", "2 created", "1 row refused")
		has(t, b.get("/products"), "Mug", "Bowl", "€12.50")
		has(t, b.get(importsPath), "mugs.csv", "2 created, 0 updated, 1 row refused")
		refused := b.get(at + "/refused")
		want := "\ufeffsku;name;price;stock;category;why it was refused\nPOT;Pot;auf Anfrage;1;;"
		if !strings.HasPrefix(refused.body, want) || refused.header.Get("Content-Disposition") != "attachment; filename=mugs-refused.csv" {
			t.Errorf("%v %q", refused.header, refused.body)
		}
		if report := b.get(at + "/report"); !strings.Contains(report.body, "3,4,refused,1,POT,price,bad_amount,") {
			t.Errorf("%q", report.body)
		}
		again := b.give("mended.csv", strings.NewReader(strings.ReplaceAll(refused.body, "auf Anfrage", "19,90")))
		page = b.follow(again)
		at = importOf(again)
		b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
		s.runImports()
		b.follow(b.submit(t, b.get(at), at+"/run"))
		s.runImports()
		has(t, b.get(at), "Done", "1 created", "0 rows refused")
		if n := s.countProducts(); n != 3 {
			t.Errorf("%d products", n)
		}
	})
}

// Rows that are stored without something are named before and after the import, also when none is refused.
func TestNotesOfAnImport(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		given := b.give("cups.csv", strings.NewReader("sku,name,price,status\nCUP,Cup,3.00,ON SALE SOON\n"))
		at := importOf(given)
		b.follow(b.submit(t, b.follow(given), at+"/check"))
		s.runImports()
		const words = "The import takes these rows, without what stands here."
		has(t, b.get(at), "1 new product ", "0 rows refused", words, "ON SALE SOON", "is no status")
		b.follow(b.submit(t, b.get(at), at+"/run"))
		s.runImports()
		has(t, b.get(at), "1 created", "1 note ", words, "ON SALE SOON", "Report")
	})
}

// A wrong price list was imported: its page still has the prices before, by which it is set right.
func TestAnImportKeepsTheValuesBefore(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.product(`{"sku":"MUG","name":"Mug","price":12.5}`)
		b := s.as(s.owner)
		given := b.give("prices.csv", strings.NewReader("sku;name;price\nMUG;Mug;1,25\n"))
		at := importOf(given)
		page := b.follow(given)
		b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
		s.runImports()
		b.follow(b.submit(t, b.get(at), at+"/run", "jumps", "1"))
		s.runImports()
		has(t, b.get(at), "Done", "1 updated", "€12.50 → €1.25")
	})
}

// columnsOf are the choices that a page of an import shows, as its form would send them.
func columnsOf(page reply) (typed []string) {
	for _, part := range strings.Split(page.body, "<select ")[1:] {
		name := between(part, `name="`, `"`)
		value := ""
		for _, option := range strings.Split(strings.SplitN(part, "</select>", 2)[0], "<option ")[1:] {
			if strings.Contains(strings.SplitN(option, ">", 2)[0], " selected") {
				value = between(option, `value="`, `"`)
			}
		}
		typed = append(typed, name, value)
	}
	return typed
}

func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	found, _, _ := strings.Cut(rest, to)
	return found
}

// chosen is what a page of an import would send, with some choices changed.
func chosen(page reply, changes ...string) []string {
	typed := columnsOf(page)
	for i := 0; i < len(changes); i += 2 {
		found := false
		for j := 0; j < len(typed); j += 2 {
			if typed[j] == changes[i] {
				typed[j+1], found = changes[i+1], true
			}
		}
		if !found {
			typed = append(typed, changes[i], changes[i+1])
		}
	}
	return typed
}

func (s *site) countProducts() (n int64) {
	s.t.Helper()
	s.do(s.account.Tenant, func(tx *db.Tx) error {
		return tx.Row("SELECT count(*) FROM products WHERE tenant_id = $1", []any{tx.Tenant}, &n)
	})
	return n
}

// The dry run says what the command line says of the same file.
func TestImportsCheckIsTheCommandLines(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		s.product(`{"sku":"S-1","name":"Product 1","price":1.5}`)
		s.product(`{"sku":"S-2","name":"Other","price":1.5}`)
		var file strings.Builder
		file.WriteString("sku;name;price\n")
		for i := range 700 {
			fmt.Fprintf(&file, "S-%d;Product %d;%d,50\n", i, i, i)
			if i%7 == 0 {
				fmt.Fprintf(&file, "S-%d;again;1,00\nX-%d;;1,00\n", i, i)
			}
		}
		given := b.give("list.csv", strings.NewReader(file.String()))
		at := importOf(given)
		page := b.follow(given)
		b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
		s.runImports()
		s.call("GET", "/api/v1/account", "") // makes a key of every scope
		service, err := client.New(s.url, s.key)
		if err != nil {
			t.Fatal(err)
		}
		path := t.TempDir() + "/list.csv"
		if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		want, err := importer.Run(t.Context(), importer.Options{Kind: importer.Products, File: path, DryRun: true, To: service,
			AcceptJumps: true})
		if err != nil {
			t.Fatal(err)
		}
		var i imports.Import
		s.do(s.account.Tenant, func(tx *db.Tx) (err error) {
			i, err = imports.ByID(tx, id.Import(strings.TrimPrefix(at, importsPath+"/")))
			return err
		})
		var got fileimport.Checked
		if err := json.Unmarshal([]byte(i.Checked), &got); err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprintf("%+v", got.Counts), fmt.Sprintf("%+v", want.Counts); a != b || got.Rows != want.Rows || got.Unchanged != 1 ||
			got.Created != 698 || got.RowsRefused != 200 {
			t.Errorf("the page   %d rows %s\nthe command %d rows %s", got.Rows, a, want.Rows, b)
		}
		has(t, b.get(at), "698 new products", "1 changed", "1 the same already", "200 rows refused", "Name Other → Product 2")
	})
}

// A list in a cell of a file is shown as one.
func TestImportShowsListsInCells(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	page := b.follow(b.give("list.json", strings.NewReader(`[{"sku":"A","name":"Mug","price":1,"categories":["Kitchen","Mugs"]}]`)))
	has(t, page, "Kitchen;Mugs")
	if strings.Contains(page.body, "\x1f") {
		t.Error("the page has a control character")
	}
}

// What a file lacks is asked for before anything is stored: a column, or how amounts are to be read.
func TestImportsAskForChoices(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		given := b.give("list.csv", strings.NewReader("a;b;c\nMUG;Mug;1.050\nBOWL;Bowl;2.100\n"))
		at := importOf(given)
		page := b.follow(given)
		has(t, page, "Something has to be chosen", "No column holds the SKU", "Check what would happen")
		out := b.submit(t, page, at+"/check", chosen(page, "c0", "sku", "c1", "sku", "c2", "price")...)
		if out.status != 422 || !strings.Contains(out.words(), "is SKU, and so is b") {
			t.Errorf("a field twice: %d %.900s", out.status, out.words())
		}
		page = b.follow(b.submit(t, page, at+"/check", chosen(page, "c0", "sku", "c1", "name", "c2", "")...))
		has(t, page, "No column holds the price")
		page = b.follow(b.submit(t, page, at+"/check", chosen(page, "c2", "price")...))
		has(t, page, "The amounts are ambiguous: price (column c): 1.050 (row 1)", "Decimals begin with")
		page = b.follow(b.submit(t, page, at+"/check", chosen(page, "decimal", "comma")...))
		has(t, page, "Being checked")
		s.runImports()
		page = b.get(at)
		has(t, page, "2 new products")
		page = b.follow(b.submit(t, page, at+"/check", chosen(page, "c1", "")...)) // chosen again after the check
		has(t, page, "No column holds the name", "Columns to choose")
		b.follow(b.submit(t, page, at+"/check", chosen(page, "c1", "name")...))
		s.runImports()
		b.follow(b.submit(t, b.get(at), at+"/run"))
		s.runImports()
		has(t, b.get("/products"), "€1,050.00")
	})
}

// Files that are none: each is refused with what is wrong with it, and nothing is kept.
func TestImportsOfBrokenFiles(t *testing.T) {
	dbtest.Long(t, "256 MB of text are packed and unpacked")
	bomb := zipped(t, "xl/worksheets/sheet1.xml", 32<<20)
	wide := strings.Repeat("x;", 200) + "x\n" + strings.Repeat("1;", 200) + "1\n"
	tooWide := strings.Repeat("x;", fileimport.MaxColumns) + "x\n" + strings.Repeat("1;", fileimport.MaxColumns) + "1\n"
	for name, test := range map[string]struct {
		file   string
		status int
		words  string
	}{
		"nothing":      {"", 422, "List.csv is empty"},
		"an archive":   {string(bomb), 422, "List.csv is a zip archive without a workbook"},
		"a gzip bomb":  {string(packed(t, fileimport.MaxText+1)), 422, "List.csv has more than 256 MB of text"},
		"half a gzip":  {string(packed(t, 1<<20))[:600], 422, "List.csv cannot be read to its end"},
		"one column":   {"sku\nA\n", 303, "No column holds the name"},
		"200 columns":  {wide, 303, "201 columns"},
		"too wide":     {tooWide, 422, "List.csv has 501 columns; 500 is the most"},
		"latin-1":      {"sku;name;price\nA;Caf\xe9;1,50\n", 303, "Café"},
		"a mark":       {"\xef\xbb\xbfsku;name;price\nA;Tasse;1,50\n", 303, "Field for sku"},
		"a picture":    {"\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x01\x02\xff", 99), 303, "No column holds the SKU"},
		"broken JSON":  {`[{"sku":"A","name":`, 422, "List.csv begins with no object that can be read"},
		"only a head":  {"sku;name;price\n", 303, "3 columns"},
		"hostile head": {"<script>alert(1)</script>;name;price\nA;B;1\n", 303, "<script>alert(1)</script>"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "sqlite")
			b := s.as(s.owner)
			out := b.give("List.csv", strings.NewReader(test.file))
			if out.status != test.status {
				t.Fatalf("%d %.600s", out.status, out.words())
			}
			if out.status == http.StatusSeeOther {
				has(t, b.follow(out), test.words)
				return
			}
			if !strings.Contains(out.words(), test.words) || !strings.Contains(out.body, `role="alert"`) {
				t.Errorf("%.900s", out.words())
			}
			s.do(db.Across, func(tx *db.Tx) error {
				var n int64
				err := tx.Row("SELECT count(*) FROM imports", nil, &n)
				if n != 0 {
					t.Errorf("%d files are kept", n)
				}
				return err
			})
		})
	}
}

func zipped(t *testing.T, name string, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	w, err := archive.Create(name)
	if err == nil {
		_, err = w.Write(make([]byte, size))
	}
	if err != nil || archive.Close() != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func packed(t *testing.T, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	block := bytes.Repeat([]byte("sku,name,price\n"), 1<<16)
	for left := size; left > 0; left -= len(block) {
		if _, err := w.Write(block[:min(len(block), left)]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A file that is too large is refused in words, and so is a form without one.
func TestUploadsAreBounded(t *testing.T) {
	s := newSite(t, "sqlite")
	b := s.as(s.owner)
	out := b.give("huge.csv", io.LimitReader(endless{}, fileimport.MaxFile+1))
	if out.status != 413 || !strings.Contains(out.words(), "The file is larger than 64 MB: divide it, or compress it with gzip") {
		t.Errorf("%d %.500s", out.status, out.words())
	}
	if out := b.post(importsPath, nil); out.status != 422 || !strings.Contains(out.words(), "This is missing: choose one") {
		t.Errorf("without a file: %d %.500s", out.status, out.words())
	}
	b.header.Set("Sec-Fetch-Site", "cross-site")
	b.header.Set("Origin", "https://elsewhere.example")
	if out := b.giveWith("x", "mugs.csv", strings.NewReader(mugs)); out.status != 403 {
		t.Errorf("from another site: %d", out.status)
	}
}

// endless is text without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	return copy(p, bytes.Repeat([]byte("A;B;1\n"), len(p)/6+1)), nil
}

// A second click gives the file once, and begins the import once.
func TestSecondClicksOfAnImport(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		key := b.get(importsPath).key(t, importsPath)
		first, second := b.giveWith(key, "mugs.csv", strings.NewReader(mugs)), b.giveWith(key, "mugs.csv", strings.NewReader(mugs))
		if first.to() != second.to() || first.status != 303 {
			t.Errorf("%d %s, then %d %s", first.status, first.to(), second.status, second.to())
		}
		at := importOf(first)
		page := b.follow(first)
		b.follow(b.submit(t, page, at+"/check", columnsOf(page)...))
		s.runImports()
		page = b.get(at)
		if one, two := b.submit(t, page, at+"/run"), b.submit(t, page, at+"/run"); one.status != 303 || two.status != 303 {
			t.Errorf("%d, then %d", one.status, two.status)
		}
		if out := b.submit(t, page, at+"/run", "other", "form"); out.status != 409 {
			t.Errorf("another form: %d", out.status)
		}
		if out := b.post(at+"/discard", nil); out.status != 409 {
			t.Errorf("discarded while it runs: %d", out.status)
		}
		b.follow(b.post(at+"/stop", nil))
		has(t, b.get(at), "It stops after the rows in hand.")
		s.runImports()
		has(t, b.get(at), "Stopped", "Go on")
		b.follow(b.submit(t, b.get(at), at+"/run"))
		s.runImports()
		page = b.get(at)
		has(t, page, "Done, some refused", "2 created")
		b.follow(b.submit(t, page, at+"/discard"))
		if out := b.get(at); out.status != 404 || strings.Contains(b.get(importsPath).words(), "mugs.csv") {
			t.Errorf("discarded: %d", out.status)
		}
	})
}

// A viewer sees what was imported and changes nothing; the files of another account are not there.
func TestImportsOfOthers(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		at := importOf(s.as(s.owner).give("mugs.csv", strings.NewReader(mugs)))
		viewer := s.as(s.newUser("vera@test.example", accounts.Viewer))
		page := viewer.get(at)
		has(t, page, "mugs.csv")
		if strings.Contains(page.body, `action="`+prefix+at) {
			t.Error("a viewer is shown an action")
		}
		if out := viewer.giveWith("x", "mugs.csv", strings.NewReader(mugs)); out.status != 403 {
			t.Errorf("a viewer gives a file: %d", out.status)
		}
		_, stranger := s.newAccount("Stranger", "stranger@test.example")
		foreign := s.as(stranger)
		for _, path := range []string{at, at + "/refused", at + "/report"} {
			if out := foreign.get(path); out.status != 404 {
				t.Errorf("GET %s by another account: %d", path, out.status)
			}
		}
		for _, path := range []string{"/check", "/run", "/stop", "/discard"} {
			if out := foreign.post(at+path, nil); out.status != 404 {
				t.Errorf("POST %s by another account: %d", path, out.status)
			}
		}
	})
}
