package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// runImportCommand runs the command as the program does, and reports what it printed.
func runImportCommand(t *testing.T, arguments ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, log bytes.Buffer
	env := &environment{stdin: strings.NewReader("sku,name,price\nA,a,1\n"), stdout: &out, stderr: &log,
		getenv: func(string) string { return "" }}
	command := newImportCommand(env)
	command.SetArgs(arguments)
	err = command.ExecuteContext(t.Context())
	return out.String(), log.String(), err
}

func importFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The summary goes to stdout, everything else to stderr; a refused row makes the command fail.
func TestImportCommand(t *testing.T) {
	var sent []byte
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, `{"total":1,"created":1,"updated":0,"errors":[]}`)
	}))
	defer service.Close()
	access := []string{"--url", service.URL, "--key", "pk_live_test"}

	out, log, err := runImportCommand(t, append(access, "products", importFile(t, "sku,name,price\nA,Apron,35\n"))...)
	if err != nil || !strings.Contains(out, "1 products stored, 1 created") || !strings.Contains(log, "mapping: sku ← sku") {
		t.Errorf("%v\n%s\n%s", err, out, log)
	}
	if want := `{"products":[{"sku":"A","name":"Apron","price":35}]}`; string(sent) != want {
		t.Errorf("sent %s, want %s", sent, want)
	}

	bad := importFile(t, "sku,name,price\nA,Apron,35\nB,,1\n")
	out, log, err = runImportCommand(t, append(access, "products", bad, "--json")...)
	var summary struct{ RowsStored, RowsRefused int }
	if decoded := json.Unmarshal([]byte(out), &summary); decoded != nil || summary.RowsStored != 1 || summary.RowsRefused != 1 {
		t.Errorf("%v: %s", decoded, out)
	}
	var call *wrongCall
	if err == nil || errors.As(err, &call) || !strings.Contains(err.Error(), "1 of 2 rows were refused") ||
		!strings.Contains(log, "row 2 refused: B: the row has no name") {
		t.Errorf("%v\n%s", err, log)
	}

	out, log, err = runImportCommand(t, "products", "-", "--dry-run", "--quiet")
	if err != nil || !strings.Contains(out, "1 products would be stored") || log != "" {
		t.Errorf("%v\n%s\n%s", err, out, log)
	}
}

// Of a workbook with several filled sheets one is named, and what the sheet holds is sent.
func TestImportCommandOfAWorkbook(t *testing.T) {
	var sent []byte
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, `{"total":1,"created":1,"updated":0,"errors":[]}`)
	}))
	defer service.Close()
	book := excelize.NewFile()
	path := filepath.Join(t.TempDir(), "spring.xlsx")
	_, err := book.NewSheet("Net prices")
	err = errors.Join(err, book.SetSheetRow("Sheet1", "A1", &[]any{"notes"}), book.SetSheetRow("Net prices", "A1", &[]any{"sku", "name", "price"}),
		book.SetSheetRow("Net prices", "A2", &[]any{"0012", "Apron", 35.5}), book.SaveAs(path))
	if err != nil {
		t.Fatal(err)
	}
	access := []string{"products", path, "--url", service.URL, "--key", "pk_live_test"}
	_, _, err = runImportCommand(t, access...)
	var call *wrongCall
	if !errors.As(err, &call) || !strings.Contains(err.Error(), "several sheets with rows: Sheet1, Net prices; say which one is imported: --sheet 'Sheet1'") {
		t.Errorf("%v", err)
	}
	_, log, err := runImportCommand(t, append(access, "--sheet", "Net prices")...)
	if want := `{"products":[{"sku":"0012","name":"Apron","price":35.5}]}`; err != nil || string(sent) != want ||
		!strings.Contains(log, "spring.xlsx: xlsx (sheet Net prices)") {
		t.Errorf("%v, sent %s, want %s\n%s", err, sent, want, log)
	}
}

// Lists of prices and stock are sent to the bulk updates of the API.
func TestImportCommandOfLists(t *testing.T) {
	var sent []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"data":[{"currency":"EUR"}]}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, r.Method+" "+r.URL.Path+" "+string(body))
		_, _ = io.WriteString(w, `{"data":{"updated":1,"notFound":1,"errors":[{"sku":"B","error":"no product or variant has this SKU",`+
			`"index":1,"field":"sku","code":"unknown_sku"}]}}`)
	}))
	defer service.Close()
	access := []string{"--url", service.URL, "--key", "pk_live_test"}
	list := importFile(t, "sku;price;old price;currency\nA;35,50;40,00;EUR\nB;1,00;;\nC;1,00;;USD\nA;2,00;;\n")
	out, log, err := runImportCommand(t, append(access, "prices", list, "--map", "old price=compareAtPrice")...)
	if err == nil || !strings.Contains(out, "1 prices stored, 1 updated") || !strings.Contains(log, "row 2 refused: B") ||
		!strings.Contains(log, "row 3 refused: C: the price is in USD") || !strings.Contains(log, "row 4 refused: A: an earlier row") {
		t.Errorf("%v\n%s\n%s", err, out, log)
	}
	levels := importFile(t, "Artikelnummer,quantity,warehouse\nA,5,EAST\nB,\"1,000\",\n")
	if out, log, err = runImportCommand(t, append(access, "stock", levels, "--map", "Artikelnummer=sku")...); err == nil ||
		!strings.Contains(out, "1 levels of stock stored") {
		t.Errorf("%v\n%s\n%s", err, out, log)
	}
	want := []string{
		`PATCH /api/v1/sdk/prices/bulk-update {"updates":[{"sku":"A","price":35.5,"compareAtPrice":40},` +
			`{"sku":"B","price":1,"compareAtPrice":null}]}`,
		`PATCH /api/v1/sdk/inventory/bulk-update {"updates":[{"sku":"A","warehouseCode":"EAST","quantity":5},{"sku":"B","quantity":1000}]}`,
	}
	if !slices.Equal(sent, want) {
		t.Errorf("sent\n%s", strings.Join(sent, "\n"))
	}
	ambiguous := importFile(t, "sku;price\nA;1.050\n")
	if out, _, err = runImportCommand(t, append(access, "prices", ambiguous)...); out != "" || !strings.Contains(err.Error(), "ambiguous") {
		t.Errorf("amounts that can be read in two ways: %v, %s", err, out)
	}
	if out, _, err = runImportCommand(t, append(access, "products", importFile(t, "sku;price\nA;35,50\n"))...); out != "" ||
		!strings.Contains(err.Error(), "'entrepot import prices'") {
		t.Errorf("a price list as products: %v, %s", err, out)
	}
	if out, _, err = runImportCommand(t, "prices", list, "--dry-run", "--map", "old price=compareAtPrice"); err == nil ||
		!strings.Contains(out, "3 prices would be stored") {
		t.Errorf("a dry run: %v, %s", err, out)
	}
}

func TestImportCommandCalledWrongly(t *testing.T) {
	file := importFile(t, "sku,name,price\nA,Apron,35\n")
	for _, arguments := range [][]string{
		{}, {"products"}, {"products", file, "more"}, {"products", file}, {"users", file, "--dry-run"}, {"products", file + "x", "--dry-run"},
		{"products", file, "--url", "ftp://x", "--key", "k"}, {"products", file, "--url", "http://127.0.0.1:1"},
		{"products", file, "--dry-run", "--map", "nothing=sku"}, {"products", file, "--dry-run", "--format", "xml"},
		{"prices", file, "--dry-run", "--duplicates", "last"}, {"stock", file, "--dry-run"}, {"prices", file, "--dry-run", "--format", "shopify"},
	} {
		out, _, err := runImportCommand(t, arguments...)
		var call *wrongCall
		if !errors.As(err, &call) || out != "" {
			t.Errorf("%q: %v, %q", arguments, err, out)
		}
	}
}

// Prices that jump are listed, also as JSON, and nothing is stored; --accept-jumps stores them.
func TestImportCommandAsksAboutJumps(t *testing.T) {
	stored := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"data":[{"sku":"A","price":100,"variants":[{"sku":"B","price":10}]}],"meta":{"hasMore":false}}`)
			return
		}
		stored++
		_, _ = io.WriteString(w, `{"data":{"updated":2,"notFound":0,"errors":[]}}`)
	}))
	defer service.Close()
	list := importFile(t, "sku,price\nA,10\nB,100\n")
	arguments := []string{"--url", service.URL, "--key", "pk_live_test", "prices", list}
	out, _, err := runImportCommand(t, append(arguments, "--json")...)
	var summary struct {
		Complete   bool
		Jumps      int
		PriceJumps []struct {
			SKU      string
			From, To json.Number
			Percent  int
		}
	}
	var call *wrongCall // exit code 2
	if !errors.As(err, &call) || json.Unmarshal([]byte(out), &summary) != nil || summary.Complete || summary.Jumps != 2 ||
		summary.PriceJumps[0].SKU != "B" ||
		summary.PriceJumps[0].Percent != 900 || summary.PriceJumps[1].To != "10" || stored > 0 {
		t.Errorf("%v: %s; %d requests", err, out, stored)
	}
	if err == nil || !strings.Contains(err.Error(), "B: 10 to 100 (+900 %)") || !strings.Contains(err.Error(), "--accept-jumps") {
		t.Errorf("%v", err)
	}
	if _, _, err := runImportCommand(t, append(arguments, "--accept-jumps")...); err != nil || stored != 1 {
		t.Errorf("%v; %d requests", err, stored)
	}
}
