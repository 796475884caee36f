package blackbox

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"entrepot/internal/base/workbook"
	"entrepot/test/blackbox/harness"
)

func init() {
	about("4.3-exports", "the file of an export is downloaded by key and by link, as CSV, as a workbook and as JSON lines", func(c *testCase) {
		c.must(c.call(http.MethodPost, "/api/v1/products", map[string]any{"sku": "EXPORTED", "name": "Exported", "price": 9.5}), 201)
		for _, buyer := range []string{"=HYPERLINK(1)", "Ada, Countess", "Zoë"} {
			c.must(c.call(http.MethodPost, "/api/v1/orders", map[string]any{"customerName": buyer, "customerEmail": "ada@x.example",
				"shippingAddress": map[string]any{"line1": "1 rue", "city": "Paris", "postalCode": "75002", "country": "FR"},
				"items":           []any{map[string]any{"sku": "EXPORTED", "quantity": 2, "unitPrice": 9.5}}}), 201)
		}
		everybody := harness.Client{Base: c.account.Key.Base}
		for _, format := range []string{"csv", "xlsx", "jsonl"} {
			job := c.must(c.call(http.MethodPost, "/api/v1/exports", map[string]any{"kind": "orders", "format": format,
				"filter": map[string]any{"customerEmail": "ada@x.example"}}), 202).Text("data", "id")
			done := exported(c, job)
			file, err := c.account.Key.Do(harness.Request{Method: http.MethodGet, Path: "/api/v1/exports/" + job + "/file"})
			if err != nil || file.Status != 200 {
				c.Fatalf("%s: %v %d", format, err, file.Status)
			}
			link := strings.TrimPrefix(done.Text("data", "result", "download", "url"), everybody.Base)
			linked, err := everybody.Do(harness.Request{Method: http.MethodGet, Path: link})
			if err != nil || linked.Status != 200 || !bytes.Equal(linked.Body, file.Body) || int(done.Count("data", "result", "bytes")) != len(file.Body) {
				c.Errorf("%s by its link: %v %d, %d bytes of %d", format, err, linked.Status, len(linked.Body), len(file.Body))
			}
			if name := file.Header.Get("Content-Disposition"); !strings.Contains(name, "orders-") || !strings.Contains(name, "."+format) {
				c.Errorf("%s: %s", format, name)
			}
			same, err := c.account.Key.Do(harness.Request{Method: http.MethodGet, Path: "/api/v1/exports/" + job + "/file",
				Header: http.Header{"If-None-Match": {file.Header.Get("ETag")}}})
			if err != nil || same.Status != 304 {
				c.Errorf("%s, unchanged: %v %d", format, err, same.Status)
			}
			for _, wrong := range []string{link[:len(link)-2] + "AA", link[:len(link)-1]} {
				if missing, err := everybody.Do(harness.Request{Method: http.MethodGet, Path: wrong}); err != nil || missing.Status != 404 {
					c.Errorf("%s: a link that is not ours: %v %d", format, err, missing.Status)
				}
			}
			if rows := rowsOf(c, format, file.Body); strings.Join(rows, "|") != strings.Join(map[string][]string{
				"csv":   {"customerName", "Zoë", "Ada, Countess", "'=HYPERLINK(1)"},
				"xlsx":  {"customerName", "Zoë", "Ada, Countess", "=HYPERLINK(1)"},
				"jsonl": {"Zoë", "Ada, Countess", "=HYPERLINK(1)"},
			}[format], "|") {
				c.Errorf("%s: %q", format, rows)
			}
		}
	})
}

// exported waits for the end of an export's job.
func exported(c *testCase, job string) (done harness.Answer) {
	c.Helper()
	for range 100 {
		done = c.must(c.call(http.MethodGet, "/api/v1/sdk/jobs/"+job, nil), 200)
		if done.Text("data", "status") == "COMPLETED" {
			return done
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.Fatalf("the export does not end: %s", done)
	return done
}

// rowsOf are the customers' names of a file of orders, with the name of their column.
func rowsOf(c *testCase, format string, file []byte) (names []string) {
	c.Helper()
	const column = 5 // customerName
	switch format {
	case "csv":
		rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff")))).ReadAll()
		if err != nil {
			c.Fatal(err)
		}
		for _, row := range rows {
			names = append(names, row[column])
		}
	case "xlsx":
		book, err := workbook.Open(bytes.NewReader(file), int64(len(file)), 16<<20)
		if err != nil {
			c.Fatal(err)
		}
		err = book.Rows(book.Sheets()[0], func(_ int, cells []workbook.Cell) error {
			names = append(names, cells[column].Text)
			return nil
		})
		if err != nil {
			c.Fatal(err)
		}
	default:
		for line := range bytes.Lines(file) {
			var order struct {
				CustomerName string `json:"customerName"`
			}
			if err := json.Unmarshal(line, &order); err != nil {
				c.Fatal(err)
			}
			names = append(names, order.CustomerName)
		}
	}
	return names
}
