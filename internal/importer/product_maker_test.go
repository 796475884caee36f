package importer

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// made runs a maker over a file without a service and shows what it makes: a line of JSON an item,
// the errors between them.
func made(t *testing.T, o Options) string {
	t.Helper()
	o.DryRun = true
	o.Now = func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	src, err := openSource(o)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	o.Log = &log
	r := &importRun{Options: o, source: src}
	if err := r.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.maker.survey(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString(strings.ReplaceAll(log.String(), o.File, filepath.Base(o.File)))
	if m, ok := r.maker.(*productMaker); ok {
		for _, c := range m.categories() {
			parent := ""
			if c.ParentExternalID != nil {
				parent = *c.ParentExternalID
			}
			fmt.Fprintf(&out, "category %q %q under %q\n", c.ExternalID, c.Name, parent)
		}
	}
	rows := 0
	err = r.maker.make(t.Context(), func(p piece) error {
		for _, f := range p.faults {
			fmt.Fprintf(&out, "%s row %d (%d) %s [%s] %s: %s\n", f.Level, f.Row, f.Rows, f.Item, f.Field, f.Code, f.Message)
			rows += f.Rows
		}
		if p.body != nil {
			if !json.Valid(p.body) {
				t.Errorf("no JSON: %s", p.body)
			}
			fmt.Fprintf(&out, "%s, %d rows: %s\n", p.item, p.rows, bytes.TrimSpace(p.body))
			rows += p.rows
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows != r.maker.counted().rows {
		t.Errorf("%d rows are stored or refused, the file has %d", rows, r.maker.counted().rows)
	}
	return out.String()
}

// golden compares with testdata/<name>.want.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".want")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(wantLines), len(gotLines)) {
		var w, g string
		if i < len(wantLines) {
			w = wantLines[i]
		}
		if i < len(gotLines) {
			g = gotLines[i]
		}
		if w != g {
			t.Errorf("line %d\n got %s\nwant %s", i+1, g, w)
		}
	}
}

func TestProductFiles(t *testing.T) {
	for name, o := range map[string]Options{
		"shopify":     {File: "shopify.csv"},
		"woocommerce": {File: "woocommerce.csv"},
		"magento":     {File: "magento.csv", ImageBase: "https://img.example/media/"},
		"prestashop":  {File: "prestashop.csv"},
		"plain":       {File: "plain.csv", Map: []string{"Colour=option.Colour"}, Set: []string{"stock.warehouseCode=EAST"}},
		"own":         {File: "own.jsonl"},
		"mapped": {File: "mapped.json", Map: []string{
			`pictures~/\/(\d+)_/=sku`, "title=name", "cost=price", "path=category", "maker.name=attributes.maker", "pictures=images",
			"later=description",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o.Kind, o.File = Products, filepath.Join("testdata", o.File)
			golden(t, name, made(t, o))
		})
	}
}

// write makes a file of a text and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
