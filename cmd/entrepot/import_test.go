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
	"strings"
	"testing"
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

func TestImportCommandCalledWrongly(t *testing.T) {
	file := importFile(t, "sku,name,price\nA,Apron,35\n")
	for _, arguments := range [][]string{
		{}, {"products"}, {"products", file, "more"}, {"products", file}, {"users", file, "--dry-run"}, {"products", file + "x", "--dry-run"},
		{"products", file, "--url", "ftp://x", "--key", "k"}, {"products", file, "--url", "http://127.0.0.1:1"},
		{"products", file, "--dry-run", "--map", "nothing=sku"}, {"products", file, "--dry-run", "--format", "xml"},
	} {
		out, _, err := runImportCommand(t, arguments...)
		var call *wrongCall
		if !errors.As(err, &call) || out != "" {
			t.Errorf("%q: %v, %q", arguments, err, out)
		}
	}
}
