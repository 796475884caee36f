package server_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/server"
)

// Bounds of what a visit of the dashboard brings over the wire, headers included.
const (
	firstVisit = 80 << 10 // the login page, the overview, and all that they load
	laterVisit = 20 << 10 // a page of a browser that has been here
)

// wire counts the bytes that come in.
type wire struct {
	net.Conn
	read *atomic.Int64
}

func (w wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	w.read.Add(int64(n))
	return n, err
}

// visitor is a browser that keeps what it may keep for ever.
type visitor struct {
	t      *testing.T
	base   string
	client *http.Client
	read   atomic.Int64
	kept   map[string]bool
}

func newVisitor(t *testing.T, base string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, base: base, kept: map[string]bool{}}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return wire{c, &v.read}, err
	}}
	t.Cleanup(transport.CloseIdleConnections)
	v.client = &http.Client{Jar: jar, Transport: transport, Timeout: 5 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return v
}

// get reads an address as browsers do, compressed if it comes so.
func (v *visitor) get(path string) (http.Header, string) {
	v.t.Helper()
	request, err := http.NewRequest("GET", v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := v.client.Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	body := io.Reader(response.Body)
	if response.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(body); err != nil {
			v.t.Fatal(err)
		}
	}
	text, err := io.ReadAll(body)
	if err != nil || response.StatusCode != http.StatusOK {
		v.t.Fatalf("%s: %d %v", path, response.StatusCode, err)
	}
	return response.Header, string(text)
}

var static = regexp.MustCompile(`/dashboard/static/[^"'#]+`)

// visit reads a page and what it loads, and gives how many bytes came.
func (v *visitor) visit(path string) int64 {
	v.t.Helper()
	before := v.read.Load()
	header, page := v.get(path)
	if header.Get("Content-Encoding") != "gzip" || header.Get("Cache-Control") != "no-store" {
		v.t.Errorf("%s: %v", path, header)
	}
	for _, address := range static.FindAllString(page, -1) {
		if v.kept[address] {
			continue
		}
		header, text := v.get(address)
		v.kept[address] = strings.Contains(header.Get("Cache-Control"), "immutable")
		if !v.kept[address] || len(text) > 2<<10 && (header.Get("Content-Encoding") != "gzip" || header.Get("Vary") != "Accept-Encoding") {
			v.t.Errorf("%s: %v", address, header)
		}
	}
	return v.read.Load() - before
}

// The first visit after a login transfers little, a later one less: pages and static files are compressed, and static
// files are sent once.
func TestVisitsAreShort(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, _ *log) {
		c.Admin = server.Admin{Email: "me@example.com", Password: "a long passphrase", Plan: "enterprise"}
		s, _ := start(t, c)
		v := newVisitor(t, s.URL())
		sell(t, s.URL())
		first := v.visit("/dashboard/login")
		before := v.read.Load()
		response, err := v.client.PostForm(s.URL()+"/dashboard/login", url.Values{"email": {"me@example.com"}, "password": {"a long passphrase"}})
		if err != nil || response.StatusCode != http.StatusSeeOther {
			t.Fatalf("%v %v", response, err)
		}
		response.Body.Close()
		first += v.read.Load() - before + v.visit("/dashboard/")
		later := v.visit("/dashboard/?days=90")
		t.Logf("the first visit takes %d bytes, a later one %d", first, later)
		if first > firstVisit || later > laterVisit {
			t.Errorf("the first visit takes %d bytes, at most %d are wanted; a later one %d, at most %d", first, firstVisit, later, laterVisit)
		}
		if len(v.kept) < 4 {
			t.Errorf("only %d static files were loaded", len(v.kept))
		}
	})
}

// sell makes orders of 60 days through the API, so that the overview has figures.
func sell(t *testing.T, base string) {
	t.Helper()
	send := func(path, token, body string) string {
		request, err := http.NewRequest("POST", base+"/api/v1"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode >= 300 {
			t.Fatalf("%s: %d %v %s", path, response.StatusCode, err, text)
		}
		return string(text)
	}
	in := send("/auth/login", "", `{"email":"me@example.com","password":"a long passphrase"}`)
	_, rest, _ := strings.Cut(in, `"accessToken":"`)
	token, _, _ := strings.Cut(rest, `"`)
	send("/products", token, `{"sku":"MUG","name":"Mug","price":9.5}`)
	for i := range 60 {
		at := time.Now().AddDate(0, 0, -i).Add(-time.Hour).UTC().Format(time.RFC3339)
		send("/orders", token, fmt.Sprintf(`{"customerName":"Ada %d","customerEmail":"ada%d@example.com","initialStatus":"PROCESSING",`+
			`"createdAt":%q,"items":[{"sku":"MUG","quantity":%d,"unitPrice":9.5}]}`, i, i, at, 1+i%7))
	}
}
