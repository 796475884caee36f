package bench

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// site is a dashboard of a few pages that link to each other; it wants a session.
func site(t *testing.T) (url string, read func(path string) int) {
	t.Helper()
	const one, two = "019a1c52-7c1e-7d40-9a55-00000000000a", "019a1c52-7c1e-7d40-9a55-00000000000b"
	links := map[string][]string{
		"/dashboard/": {"/dashboard/static/dash.0123.css", "/dashboard/orders", "/dashboard/orders?status=PENDING&amp;page=2",
			"/other"},
		"/dashboard/orders":        {"/dashboard/orders/" + one, "/dashboard/orders/" + two, "/dashboard/stock/SKU-1", "/dashboard/stock/SKU-2"},
		"/dashboard/orders/" + one: {"/dashboard/orders?customerId=" + one, "/dashboard/orders?customerId=" + two},
		"/dashboard/stock/SKU-1":   {"/dashboard/broken"},
	}
	var mu sync.Mutex
	count := map[string]int{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /dashboard/login", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("email") != "ann@example.com" || r.FormValue("password") != "right" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "entrepot", Value: "in", Path: "/dashboard"})
		w.Header().Set("Location", "/dashboard/")
		w.WriteHeader(http.StatusSeeOther)
	})
	mux.HandleFunc("GET /dashboard/", func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie("entrepot"); err != nil || c.Value != "in" {
			t.Errorf("%s without a session", r.URL)
		}
		mu.Lock()
		count[r.URL.RequestURI()]++
		mu.Unlock()
		if r.URL.Path == "/dashboard/broken" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		zipped := gzip.NewWriter(w)
		defer zipped.Close()
		fmt.Fprint(zipped, strings.Repeat("words ", 1000))
		for _, to := range links[r.URL.Path] {
			fmt.Fprintf(zipped, `<a href="%s">`, to)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, func(path string) int {
		mu.Lock()
		defer mu.Unlock()
		return count[path]
	}
}

// Every kind of page is found and read as often as is wanted; static files, other sites and second records are left out.
func TestPagesAreFoundAndRead(t *testing.T) {
	url, read := site(t)
	o := PagesOptions{URL: url, Email: "ann@example.com", Password: "right", Times: 3, Most: 50,
		Also: []string{"/dashboard/orders?search=ada"}}
	report, err := Pages(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, p := range report.Pages {
		kinds = append(kinds, fmt.Sprint(p.Page, " ", p.Status))
		if p.Status == 200 && (p.Plain < 6000 || p.Wire >= p.Plain/10 || p.Wire == 0 || p.P95 <= 0 || p.Least > p.Max) {
			t.Errorf("%+v", p)
		}
	}
	slices.Sort(kinds)
	want := []string{"/dashboard 200", "/dashboard/broken 500", "/dashboard/orders 200", "/dashboard/orders/{} 200",
		"/dashboard/orders?customerId={} 200", "/dashboard/orders?page=2&status=PENDING 200", "/dashboard/orders?search=ada 200",
		"/dashboard/stock/{} 200"}
	if !slices.Equal(kinds, want) || !report.Failed() {
		t.Errorf("found %q, failed: %v", kinds, report.Failed())
	}
	if n := read("/dashboard/orders?search=ada"); n != 3 {
		t.Errorf("a page with a query was read %d times", n)
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil || !strings.Contains(table.String(), "/dashboard/stock/{}") {
		t.Errorf("%v\n%s", err, table.String())
	}
}

// With the service's process known, its processor time is part of each page's line; here the service is this process.
func TestPagesTakeProcessorTime(t *testing.T) {
	url, read := site(t)
	report, err := Pages(t.Context(), PagesOptions{URL: url, Email: "ann@example.com", Password: "right", Times: 200, Most: 2,
		ServerPIDs: []int{os.Getpid()}})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, p := range report.Pages {
		sum += p.ServerCPU
	}
	if n := read("/dashboard/orders"); n < 200 || n > 201 || sum <= 0 && runtime.GOOS == "linux" {
		t.Errorf("read %d times, %v ms of processor time", n, sum)
	}
}

func TestPagesAreRefused(t *testing.T) {
	url, _ := site(t)
	good := PagesOptions{URL: url, Email: "ann@example.com", Password: "right", Times: 1, Most: 1}
	for name, change := range map[string]func(*PagesOptions){
		"a wrong password":   func(o *PagesOptions) { o.Password = "wrong" },
		"no times":           func(o *PagesOptions) { o.Times = 0 },
		"no pages":           func(o *PagesOptions) { o.Most = 0 },
		"another machine":    func(o *PagesOptions) { o.URL = "http://192.0.2.1" },
		"another site's too": func(o *PagesOptions) { o.Also = []string{"http://example.com/"} },
	} {
		o := good
		change(&o)
		if _, err := Pages(t.Context(), o); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if report, err := Pages(t.Context(), good); err != nil || len(report.Pages) != 1 {
		t.Errorf("%v %+v", err, report)
	}
}
