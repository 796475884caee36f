package crash

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"entrepot/test/blackbox/harness"
)

// TestExportKilled kills the service in the middle of exports: none has half a file at any moment, and each is complete in the end.
func TestExportKilled(t *testing.T) {
	const items = 5000
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		server := harness.Start(t, engine, harness.Options{})
		key := server.FirstAccount(t).Key
		for from := 0; from < items; from += 1000 {
			var products []any
			for i := range 1000 {
				products = append(products, map[string]any{"sku": fmt.Sprintf("EXP-%d", from+i), "name": "Exported", "price": 1})
			}
			answer, err := key.Call(http.MethodPost, "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": products})
			if err != nil || answer.Status != http.StatusOK {
				t.Fatalf("%v %s", err, answer)
			}
		}
		read := func(path string) harness.Answer {
			t.Helper()
			answer, err := key.Do(harness.Request{Method: http.MethodGet, Path: path})
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}
		cut := 0
		for round := range *kills {
			started, err := key.Call(http.MethodPost, "/api/v1/exports", map[string]any{"kind": "products", "format": "jsonl"})
			if err != nil || started.Status != http.StatusAccepted {
				t.Fatalf("%v %s", err, started)
			}
			job := started.Text("data", "id")
			for end := time.Now().Add(time.Minute); time.Now().Before(end); {
				if read("/api/v1/sdk/jobs/"+job).Text("data", "status") != "PENDING" {
					break
				}
			}
			time.Sleep(time.Duration(20*round) * time.Millisecond)
			server.Kill()
			server.Launch()
			if first := read("/api/v1/exports/" + job + "/file"); first.Status == http.StatusConflict {
				cut++
			} else if lines := bytes.Count(first.Body, []byte("\n")); lines != items {
				t.Errorf("round %d: %d, %d lines", round, first.Status, lines)
			}
			for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				if read("/api/v1/sdk/jobs/"+job).Text("data", "status") == "COMPLETED" {
					break
				}
			}
			file := read("/api/v1/exports/" + job + "/file")
			if lines := bytes.Count(file.Body, []byte("\n")); file.Status != http.StatusOK || lines != items {
				t.Errorf("round %d, in the end: %d, %d lines", round, file.Status, lines)
			}
			if deleted, err := key.Call(http.MethodDelete, "/api/v1/exports/"+job, nil); err != nil || deleted.Status != http.StatusOK {
				t.Errorf("%v %s", err, deleted)
			}
		}
		if out, err := server.Command("verify"); err != nil {
			t.Errorf("verify: %v\n%s", err, out)
		}
		t.Logf("%s: %d of %d exports were cut", server.Engine, cut, *kills)
	})
}
