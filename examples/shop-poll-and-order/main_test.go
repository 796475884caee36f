package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// Pages of the feed, by the since they are asked with.
var pages = map[string]string{
	"": `{"data":[{"sku":"A","name":"Cup","price":9.90,"status":"ACTIVE"},{"sku":"B","name":"Pot","price":20,"status":"DRAFT"}],` +
		`"meta":{"hasMore":true,"nextSince":"t2"}}`,
	"t2": `{"data":[{"sku":"C","name":"Jug","price":5,"status":"ACTIVE"}],"meta":{"hasMore":false,"nextSince":"t3"}}`,
	"t3": `{"data":[],"meta":{"hasMore":false,"nextSince":"t3"}}`,
}

func feed(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, pages[r.URL.Query().Get("since")])
}

// The first poll drains all pages, the next one begins where it ended.
func TestPoll(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(feed))
	defer server.Close()
	cursor := filepath.Join(t.TempDir(), "cursor")
	env := func(string) string { return server.URL }
	for _, want := range []string{"A\tCup\t9.90\tACTIVE\nB\tPot\t20\tDRAFT\nC\tJug\t5\tACTIVE\n", ""} {
		var out strings.Builder
		if err := run(t.Context(), []string{"poll", cursor}, nil, env, &out); err != nil || out.String() != want {
			t.Fatalf("printed %q, %v; want %q", out.String(), err, want)
		}
	}
}

// A product that cannot be applied is offered again next time, and nothing after it is lost.
func TestPollResumes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(feed))
	defer server.Close()
	s := shop{base: server.URL, http: server.Client()}
	cursor := cursorFile(filepath.Join(t.TempDir(), "cursor"))
	failing := errors.New("disk full")
	var seen []string
	apply := func(p product) error {
		if p.SKU == "C" && failing != nil {
			return failing
		}
		seen = append(seen, p.SKU)
		return nil
	}
	if err := s.poll(t.Context(), cursor, apply); !errors.Is(err, failing) {
		t.Fatal(err)
	}
	failing = nil
	if err := s.poll(t.Context(), cursor, apply); err != nil || strings.Join(seen, "") != "ABC" {
		t.Fatalf("applied %v, %v", seen, err)
	}
}

func TestOrder(t *testing.T) {
	const order = `{"externalReference":"WEB-1","customerName":"Ada","items":[{"sku":"A","quantity":1,"unitPrice":"9.90"}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.Path != "/api/v1/orders" || r.Header.Get("Idempotency-Key") != "WEB-1" || string(body) != order {
			t.Errorf("%s %s key %q body %s", r.Method, r.URL.Path, r.Header.Get("Idempotency-Key"), body)
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"data":{"id":"o1","status":"PENDING","totalAmount":"9.90","currency":"EUR"}}`)
	}))
	defer server.Close()
	var out strings.Builder
	err := run(t.Context(), []string{"order"}, strings.NewReader(order), func(string) string { return server.URL }, &out)
	if err != nil || out.String() != "o1 PENDING 9.90 EUR\n" {
		t.Fatalf("%q, %v", out.String(), err)
	}
}

func TestOrderRefused(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"code":"validation_failed","message":"unknown SKU: X"}`, http.StatusBadRequest)
	}))
	defer server.Close()
	env := func(string) string { return server.URL }
	for in, want := range map[string]string{
		`{"externalReference":"WEB-1"}`: "unknown SKU: X",
		`{"customerName":"Ada"}`:        "needs an externalReference",
		`{`:                             "unexpected end",
	} {
		if err := run(t.Context(), []string{"order"}, strings.NewReader(in), env, io.Discard); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
	if err := run(t.Context(), nil, nil, env, io.Discard); err == nil {
		t.Error("no arguments were accepted")
	}
}
