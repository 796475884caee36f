package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
	"entrepot/internal/importer/client"
)

// service starts a fake service and a client whose pauses are short.
func service(t *testing.T) (*fakeService, *client.Client) {
	t.Helper()
	fake := newFakeService()
	server := httptest.NewServer(fake)
	t.Cleanup(func() {
		server.Close()
		for _, what := range fake.broken {
			t.Errorf("the service was misused: %s", what)
		}
	})
	return fake, connect(t, server.URL, "pk_live_test")
}

func connect(t *testing.T, url, key string) *client.Client {
	t.Helper()
	c, err := client.New(url, key, client.WithRetry(client.Retry{First: time.Millisecond, Longest: 5 * time.Millisecond}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// catalog writes n products; those whose number ends in 7 have a bad price.
func catalog(n int) string {
	var b strings.Builder
	b.WriteString("sku,name,price\n")
	for i := range n {
		price := fmt.Sprintf("%d.%02d", i%90+1, i%100)
		if i%10 == 7 {
			price = "call us"
		}
		fmt.Fprintf(&b, "P-%d,Product %d,%s\n", i, i, price)
	}
	return b.String()
}

func sales(orders int) string {
	var b strings.Builder
	b.WriteString("order,customer,sku,quantity,price\n")
	for i := range orders {
		for line := range i%3 + 1 {
			fmt.Fprintf(&b, "S-%d,Ada,P-%d,%d,2.50\n", i, line, i%4+1)
		}
	}
	return b.String()
}

var salesMap = []string{"order=externalReference"}

func run(t *testing.T, o Options) Summary {
	t.Helper()
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows != s.RowsStored+s.RowsRefused || !s.Complete {
		t.Errorf("%d rows, %d stored, %d refused, complete %v", s.Rows, s.RowsStored, s.RowsRefused, s.Complete)
	}
	return s
}

func TestProductsAreStoredInBatches(t *testing.T) {
	fake, c := service(t)
	report := filepath.Join(t.TempDir(), "report.csv")
	s := run(t, Options{Kind: Products, File: write(t, catalog(2500)), To: c, Report: report})
	if s.Rows != 2500 || s.RowsRefused != 250 || s.Created != 2250 || s.Stored != 2250 || s.Codes["bad_amount"] != 250 {
		t.Errorf("%+v", s)
	}
	if len(fake.products) != 2250 || len(fake.batches) != 3 || fake.batches[0]+fake.batches[1]+fake.batches[2] != 2250 {
		t.Errorf("%d products in batches of %v", len(fake.products), fake.batches)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if want := `8,9,refused,1,P-7,price,bad_amount,"""call us"" is not a number"`; len(lines) != 251 || lines[1] != want {
		t.Errorf("%d lines, the first is %s, want %s", len(lines), lines[1], want)
	}
	again := run(t, Options{Kind: Products, File: write(t, catalog(2500)), To: c})
	if again.Updated != 2250 || again.Created != 0 {
		t.Errorf("the second time: %+v", again)
	}
}

// A request has at most 10 MB, whatever the number of its products.
func TestBatchesAreBoundedInBytes(t *testing.T) {
	dbtest.Long(t, "a large file")
	fake, c := service(t)
	var b strings.Builder
	b.WriteString("sku,name,price,description\n")
	for i := range 1200 {
		fmt.Fprintf(&b, "P-%d,Product,1,%s\n", i, strings.Repeat("long ", 6_000))
	}
	fmt.Fprintf(&b, "BIG,Product,1,%s\n", strings.Repeat("\x01", 900_000)) // six bytes each in JSON, still below 10 MB
	s := run(t, Options{Kind: Products, File: write(t, b.String()), To: c})
	if s.Created != 1201 || len(fake.batches) < 4 {
		t.Errorf("%+v in %v", s, fake.batches)
	}
}

// Quotas, draining servers and lost connections cost time and nothing else.
func TestFaultsOnTheWay(t *testing.T) {
	fake, c := service(t)
	var trouble atomic.Int64
	fake.before(func(w http.ResponseWriter, _ *http.Request, n int) bool {
		switch n % 5 {
		case 1:
			w.Header().Set("Retry-After", "0")
			fake.answer(w, 429, map[string]any{"message": "slow down", "retryAfter": 0})
		case 2:
			fake.answer(w, 503, map[string]any{"message": "draining"})
		case 3:
			hangUp(w)
		default:
			return false
		}
		trouble.Add(1)
		return true
	})
	s := run(t, Options{Kind: Products, File: write(t, catalog(300)), To: c, Batch: 20, AcceptJumps: true})
	if s.Created != 270 || s.Repeats != trouble.Load() || s.Repeats == 0 {
		t.Errorf("%+v, %d faults", s, trouble.Load())
	}
}

func hangUp(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// One product that makes the service refuse a whole request costs itself only.
func TestPoisonedRequestIsHalved(t *testing.T) {
	fake, _ := service(t)
	poisoned := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := new(bytes.Buffer)
		_, _ = body.ReadFrom(r.Body)
		if bytes.Contains(body.Bytes(), []byte("Product 42")) {
			fake.answer(w, 400, map[string]any{"message": "malformed JSON"})
			return
		}
		r.Body = http.NoBody
		again := r.Clone(r.Context())
		again.Body = readCloser{body}
		fake.ServeHTTP(w, again)
	}))
	defer poisoned.Close()
	c := connect(t, poisoned.URL, "pk_live_test")
	var refused []Fault
	s, err := Run(t.Context(), Options{
		Kind: Products, File: write(t, strings.ReplaceAll(catalog(100), "call us", "5")), To: c,
		OnFault: func(f Fault) { refused = append(refused, f) },
	})
	if err != nil || s.Created != 99 || len(refused) != 1 || refused[0].Item != "P-42" || refused[0].Row != 43 || s.RowsRefused != 1 {
		t.Errorf("%+v, %v, %+v", s, err, refused)
	}
}

type readCloser struct{ *bytes.Buffer }

func (readCloser) Close() error { return nil }

func TestWrongKeyStopsAtOnce(t *testing.T) {
	fake, _ := service(t)
	server := httptest.NewServer(fake)
	defer server.Close()
	s, err := Run(t.Context(), Options{Kind: Products, File: write(t, catalog(5000)), To: connect(t, server.URL, "pk_live_other")})
	if stopped, ok := errors.AsType[*StoppedError](err); !ok || !strings.Contains(stopped.Error(), "401") || client.StatusOf(err) != 401 {
		t.Errorf("error %v", err)
	}
	if s.Stored != 0 || s.Complete || s.Requests > 7 {
		t.Errorf("%+v", s)
	}
}

func TestNoMoreInFlightThanAsked(t *testing.T) {
	fake, c := service(t)
	var now, most atomic.Int64
	all := make(chan struct{})
	goOn := sync.OnceFunc(func() { close(all) })
	fake.before(func(http.ResponseWriter, *http.Request, int) bool {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if n == 3 {
			goOn()
		}
		select { // the first ones stay until all that may be there at once are there
		case <-all:
		case <-time.After(time.Minute):
			goOn()
		}
		now.Add(-1)
		return false
	})
	run(t, Options{Kind: Products, File: write(t, catalog(1000)), To: c, Batch: 10, Concurrency: 3, AcceptJumps: true})
	if most.Load() != 3 {
		t.Errorf("%d requests at once, 3 are allowed", most.Load())
	}
}

// What the service refuses of a product is reported with the rows it was made of.
func TestRefusalsOfTheService(t *testing.T) {
	fake, c := service(t)
	fake.owners["P-3"] = "other" // a variant elsewhere
	var faults []Fault
	s, err := Run(t.Context(), Options{
		Kind: Products, File: write(t, "sku,name,price,parent\nP-1,a,1,\nP-3,b,1,\nV-1,c,1,FAM\nV-2,d,1,FAM\nFAM,e,1,\n"),
		To: c, Channel: "0190c0de-0000-7000-8000-0000000000ff", OnFault: func(f Fault) { faults = append(faults, f) },
	})
	if err != nil || s.Stored != 2 || s.RowsStored != 4 || s.RowsRefused != 1 || len(s.Jobs) != 1 || len(faults) != 1 ||
		faults[0].Item != "P-3" || faults[0].Row != 2 {
		t.Errorf("%+v, %v, %+v", s, err, faults)
	}
	if len(fake.products) != 2 || len(fake.products["FAM"].Variants) != 2 {
		t.Errorf("%+v", fake.products)
	}
	fake.products = map[string]*fakeProduct{}
	o, err := Run(t.Context(), Options{Kind: Orders, File: write(t, sales(3)), To: c, Map: salesMap})
	if err != nil || o.RowsRefused != 6 || o.Stored != 0 || o.Codes["unknown_sku"] != 3 {
		t.Errorf("%+v, %v", o, err)
	}
}

// A credit note that names its order and covers it moves that order; any other becomes its own.
func TestCreditNotesFindTheirOrders(t *testing.T) {
	fake, c := service(t)
	text := "order,customer,sku,quantity,price,cancels,initialStatus\n" +
		"A-1,Ada,P-1,2,5,,DELIVERED\nA-1,Ada,P-2,1,5,,\nA-2,Ada,P-1,2,5,,DELIVERED\nA-3,Ada,P-1,2,5,,\n"
	base := Options{Kind: Orders, To: c, CreateMissing: true, Map: []string{"order=externalReference", "cancels=originalReference"}}
	sold := base
	sold.File = write(t, text)
	run(t, sold)
	notes := base
	notes.File = write(t, "order,customer,sku,quantity,price,cancels\n"+
		"C-1,Ada,P-1,-2,5,A-1\nC-1,Ada,P-2,-1,5,A-1\n"+ // all of A-1
		"C-2,Ada,P-1,-1,5,A-2\n"+ // a part of A-2
		"C-3,Ada,P-1,-2,5,A-3\n"+ // all of A-3, which is still pending
		"C-4,Ada,P-1,-2,5,A-9\n") // no such order
	s := run(t, notes)
	if s.Moved != 1 || s.Created != 3 || s.Codes["original_moved"] != 1 || s.RowsStored != 5 {
		t.Errorf("%+v", s)
	}
	for reference, want := range map[string]string{
		"A-1": "RETURNED", "A-2": "DELIVERED", "A-3": "PENDING", "C-2": "RETURNED", "C-3": "RETURNED", "C-4": "RETURNED",
	} {
		if o := fake.orders[reference]; o == nil || o.Status != want {
			t.Errorf("%s: %+v, want %s", reference, o, want)
		}
	}
	if fake.orders["C-1"] != nil || fake.orders["C-2"].PaymentMetadata["creditNoteFor"] != "A-2" {
		t.Errorf("%+v", fake.orders)
	}
	if again := run(t, notes); again.Moved != 1 || again.Existing != 3 {
		t.Errorf("the second time: %+v", again)
	}
	notes.DryRun = true
	if checked := run(t, notes); checked.Moved != 1 || checked.Existing != 3 {
		t.Errorf("a dry run after that: %+v", checked)
	}
}

// Only what the catalog lacks is created, and what is there keeps its name and price.
func TestMissingProductsAreCreated(t *testing.T) {
	fake, c := service(t)
	fake.products["P-1"] = &fakeProduct{SKU: "P-1", Name: "As it is", Price: "99"}
	fake.owners["V-1"] = "P-1"
	run(t, Options{Kind: Orders, To: c, CreateMissing: true, Map: salesMap, File: write(t,
		"order,customer,sku,name,quantity,price\nA,Ada,P-1,other name,1,5\nA,Ada,V-1,x,1,5\nA,Ada,N-1,,1,0\nB,Ada,N-1,New "+
			"one,1,7.50\nB,Ada,N-1,Newer,1,8\nC,Ada,ADJ,,-4,0\n")})
	if len(fake.products) != 2 || fake.products["P-1"].Name != "As it is" {
		t.Errorf("%+v", fake.products)
	}
	if n := fake.products["N-1"]; n.Name != "New one" || n.Price != "7.5" {
		t.Errorf("%+v", n)
	}
}

func TestDryRuns(t *testing.T) {
	fake, c := service(t)
	fake.products["P-1"] = &fakeProduct{SKU: "P-1"}
	s := run(t, Options{Kind: Products, File: write(t, catalog(100)), To: c, DryRun: true})
	if s.Created != 89 || s.Updated != 1 || len(fake.products) != 1 || !s.DryRun {
		t.Errorf("%+v, %d products", s, len(fake.products))
	}
	if s := run(t, Options{Kind: Products, File: write(t, catalog(100)), DryRun: true}); s.Stored != 90 || s.Requests != 0 {
		t.Errorf("without a service: %+v", s)
	}
	if s := run(t, Options{Kind: Orders, File: write(t, sales(10)), DryRun: true, Map: salesMap}); s.Stored != 10 || s.Requests != 0 {
		t.Errorf("orders without a service: %+v", s)
	}
}

// A file that breaks off is stored up to there, and the import says so.
func TestFileThatBreaksOff(t *testing.T) {
	fake, c := service(t)
	text := `[{"sku":"A","name":"a","price":1},{"sku":"B","name":"b","price":2},{"sku":"C","na`
	s, err := Run(t.Context(), Options{Kind: Products, File: write(t, text), To: c})
	if stopped, ok := errors.AsType[*StoppedError](err); !ok || !strings.Contains(stopped.Error(), "behind row 2") {
		t.Errorf("error %v", err)
	}
	if len(fake.products) != 2 || s.RowsStored != 2 || s.Complete {
		t.Errorf("%d products, %+v", len(fake.products), s)
	}
}

func TestCategoriesComeFirst(t *testing.T) {
	fake, c := service(t)
	var b strings.Builder
	b.WriteString("sku,name,price,category\n")
	for i := range 2400 {
		fmt.Fprintf(&b, "P-%d,x,1,Group %d > Part %d\n", i, i%10, i)
	}
	s := run(t, Options{Kind: Products, File: write(t, b.String()), To: c})
	if s.Categories != 2410 || len(fake.categories) != 2410 || fake.categories["Group 3 > Part 13"]["parentExternalId"] != "Group 3" {
		t.Errorf("%d categories, %+v", len(fake.categories), s)
	}
	if ids := fake.products["P-13"].CategoryIDs; len(ids) != 1 || ids[0] != "Group 3 > Part 13" {
		t.Errorf("%v", ids)
	}
}

func TestWrongCalls(t *testing.T) {
	_, c := service(t)
	file := write(t, catalog(3))
	for want, o := range map[string]Options{
		"prices, stock, orders or shipments":    {Kind: "users", File: file, To: c},
		"--url and --key":                       {Kind: Products, File: file},
		"--format xml":                          {Kind: Products, File: file, To: c, Format: "xml"},
		"--decimal ;":                           {Kind: Products, File: file, To: c, Decimal: []string{";"}},
		"--batch":                               {Kind: Products, File: file, To: c, Batch: 1001},
		"--concurrency":                         {Kind: Products, File: file, To: c, Concurrency: 65},
		"--delimiter":                           {Kind: Products, File: file, To: c, Delimiter: "ab"},
		"--encoding":                            {Kind: Products, File: file, To: c, Encoding: "morse"},
		"no column \"article\"":                 {Kind: Products, File: file, To: c, Map: []string{"article=sku"}},
		"no field \"colour\"":                   {Kind: Products, File: file, To: c, Map: []string{"name=colour"}},
		"given twice":                           {Kind: Products, File: file, To: c, Map: []string{"name=sku"}, Set: []string{"SKU=x"}},
		"FIELD=VALUE":                           {Kind: Products, File: file, To: c, Set: []string{"price"}},
		"cannot be read":                        {Kind: Products, File: file + "x", To: c},
		"--resume needs":                        {Kind: Products, File: file, To: c, Resume: true},
		"no column holds the externalReference": {Kind: Orders, File: file, To: c},
		"dry run stores":                        {Kind: Products, File: file, DryRun: true, State: "x"},
	} {
		s, err := Run(t.Context(), o)
		if call, ok := errors.AsType[*CallError](err); !ok || !strings.Contains(call.Message, want) || s.Requests > 0 {
			t.Errorf("%s: %v", want, err)
		}
	}
	if sent, _ := c.Requests(); sent != 0 {
		t.Errorf("%d requests went out", sent)
	}
}

// A mapping may be written either way round when only one of them makes sense; a column's name on the left comes first.
func TestMappingsEitherWayRound(t *testing.T) {
	for name, flags := range map[string][]string{
		"as written":       {"code=sku", "title=name", "cost=price"},
		"turned":           {"sku=code", "name=title", " price = cost "},
		"sku is a column":  {"sku=code", "title=name", "cost=price"},
		"joined":           {`code+""=sku`, "name=title", "price=cost|\"0\""},
		"both make sense":  {"code=sku", "title=name", "name=description", "cost=price"},
		"turned in a list": {"code=sku", "title=name", "cost=price", "attributes.colour=name"},
	} {
		t.Run(name, func(t *testing.T) {
			fake, c := service(t)
			file := write(t, "code,title,cost,name,sku\nA,Alpha,1.50,red,other\n")
			if s := run(t, Options{Kind: Products, File: file, To: c, Map: flags}); s.Stored != 1 {
				t.Fatalf("%+v", s)
			}
			if p := fake.products["A"]; p == nil || p.Name != "Alpha" || string(p.Price) != "1.5" {
				t.Errorf("%+v", p)
			}
		})
	}
}

func TestReportsAsCSVAndJSON(t *testing.T) {
	_, c := service(t)
	for _, name := range []string{"r.csv", "r.jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		run(t, Options{Kind: Products, File: write(t, "sku,name,price\n=1+1,a,x\nB,b,1\n"), To: c, Report: path})
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for scanner := bufio.NewScanner(f); scanner.Scan(); {
			lines = append(lines, scanner.Text())
		}
		_ = f.Close()
		want := `2,,,`
		switch name {
		case "r.csv":
			want = `1,2,refused,1,'=1+1,price,bad_amount,"""x"" is not a number"`
		case "r.jsonl":
			want = `{"row":1,"line":2,"level":"refused","rows":1,"item":"=1+1","field":"price","code":"bad_amount",` +
				`"message":"\"x\" is not a number"}`
		}
		if lines[len(lines)-1] != want {
			t.Errorf("%s: %s, want %s", name, lines, want)
		}
	}
}

// The body of a bulk request and the answer to a list are objects that hold the array: they are read like the array.
func TestListsInsideOfAnObject(t *testing.T) {
	for name, text := range map[string]string{
		"body": `{"products":[{"sku":"A","name":"A","price":1.5},{"sku":"B","name":"B","price":2}],"options":{"dryRun":true}}`,
		"answer": `{
			"data" : [{"sku":"A","name":"A","price":1.5},
				{"sku":"B","name":"B","price":2} ],
			"meta": {} }`,
	} {
		for _, format := range []string{"auto", "json"} {
			fake, c := service(t)
			s := run(t, Options{Kind: Products, File: write(t, text), To: c, Format: format})
			if !s.Complete || s.Rows != 2 || s.Created != 2 || fake.products["A"] == nil || fake.products["B"] == nil {
				t.Errorf("%s as %s: %+v", name, format, s)
			}
		}
	}
}

// stops runs an import that is to end as a wrong call, whose message holds the texts.
func stops(t *testing.T, o Options, texts ...string) {
	t.Helper()
	o.DryRun = true
	_, err := Run(t.Context(), o)
	call, ok := errors.AsType[*CallError](err)
	if !ok {
		t.Errorf("no wrong call but %v", err)
		return
	}
	for _, text := range texts {
		if !strings.Contains(call.Message, text) {
			t.Errorf("%q does not say %q", call.Message, text)
		}
	}
}
