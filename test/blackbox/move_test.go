package blackbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

// A store that is moved from a file into PostgreSQL continues where it was: keys and logins are valid, a repeated
// request is answered as before, a feed's cursor misses nothing, and both stores pass verify. A move that is killed half way leaves the
// target empty, so that it can be given again; one that was done is refused.
func TestAMovedStoreGoesOn(t *testing.T) {
	from := harness.Start(t, harness.SQLite, harness.Options{})
	a := from.FirstAccount(t)
	var products []any
	for i := range 300 {
		products = append(products, map[string]any{"sku": fmt.Sprintf("M-%03d", i), "name": "Möbel", "price": 12.5,
			"stock": map[string]any{"quantity": 9}})
	}
	ask := func(c harness.Client, want int, method, path string, body any) harness.Answer {
		t.Helper()
		answer, err := c.Call(method, path, body)
		if err != nil || answer.Status != want {
			t.Fatalf("%s, want %d: %v", answer, want, err)
		}
		return answer
	}
	ask(a.Key, http.StatusAccepted, "POST", "/api/v1/sdk/products/bulk-import", map[string]any{"products": products})
	order := []byte(`{"customerName":"Ada","customerEmail":"ada@x.example","items":[{"sku":"M-007","quantity":2,"unitPrice":12.5}]}`)
	create := func(c harness.Client) harness.Answer {
		t.Helper()
		answer, err := c.Do(harness.Request{Method: "POST", Path: "/api/v1/orders", Body: order,
			Header: http.Header{"Idempotency-Key": {"once"}}})
		if err != nil || answer.Status != http.StatusCreated {
			t.Fatalf("%s: %v", answer, err)
		}
		return answer
	}
	first := create(a.Key)
	page := ask(a.Key, http.StatusOK, "GET", "/api/v1/sdk/products/changes?limit=100", nil)
	next := page.Text("meta", "nextSince")
	if err := from.Stop(); err != nil {
		t.Fatal(err)
	}

	database := dbtest.URL(t)
	killMove(t, from, database)
	said, err := from.Command("move", "--from", from.Dir, "--to", database, "--json")
	var moved struct {
		Rows  int64
		Holds bool
	}
	if err != nil || json.Unmarshal(said, &moved) != nil || !moved.Holds || moved.Rows < 900 {
		t.Fatalf("%v: %s", err, said)
	}
	if said, err := from.Command("move", "--from", from.Dir, "--to", database); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("moved twice: %v, %s", err, said)
	}
	if err := from.MoveTo(database); err != nil {
		t.Fatal(err)
	}
	from.Launch()
	again := create(a.Key)
	if string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replay") != "true" {
		t.Errorf("the repeated order is answered %s", again)
	}
	rest := ask(a.Key, http.StatusOK, "GET", "/api/v1/sdk/products/changes?since="+next, nil)
	if n := rest.Count("meta", "total"); n != 200 {
		t.Errorf("%d products are left behind the cursor, not 200", n)
	}
	ask(a.Owner, http.StatusOK, "GET", "/api/v1/auth/me", nil)
	ask(a.Key, http.StatusCreated, "POST", "/api/v1/orders", map[string]any{"customerName": "Bob",
		"items": []any{map[string]any{"sku": "M-008", "quantity": 1, "unitPrice": 12.5}}})
	if err := from.Stop(); err != nil { // before its database is dropped, which was made after it
		t.Error(err)
	}
}

// killMove kills a move that has copied its first table.
func killMove(t *testing.T, from *harness.Server, database string) {
	t.Helper()
	command, err := from.StalledCommand("move", "--from", from.Dir, "--to", database)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	await := func(condition string) {
		t.Helper()
		for start, holds := time.Now(), false; !holds; time.Sleep(10 * time.Millisecond) {
			err := conn.QueryRow(t.Context(), "SELECT "+condition+` FROM pg_stat_activity WHERE datname = current_database()
				AND state = 'idle in transaction' AND query LIKE 'ANALYZE%'`).Scan(&holds)
			if err != nil || time.Since(start) > 2*time.Minute {
				t.Fatalf("it never came to %s: %v", condition, err)
			}
		}
	}
	await("count(*) = 1")
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	command.Wait()
	await("count(*) = 0")
}
