package main

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"entrepot/internal/importer"
	"entrepot/internal/importer/client"
)

// What a person reads while an import runs.
func TestImportProgressLines(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := &importProgress{w: &bytes.Buffer{}, now: func() time.Time { return now }}
	expect := func(want string) {
		t.Helper()
		if got := p.line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	expect("")
	p.settled(importer.Progress{Doing: "storing the categories"})
	expect("storing the categories")
	step := importer.Progress{Rows: 1000, TotalRows: 245903, Items: 60, TotalItems: 12053, TotalBytes: 1000}
	p.settled(step)
	expect("1,000 of 245,903 rows, 60 of 12,053 orders") // too early to say more
	now = now.Add(10 * time.Second)
	step.Rows, step.Items = 25_490, 1200
	p.settled(step)
	expect("25,490 of 245,903 rows, 1,200 of 12,053 orders, about 1 min 30 s left")
	p.waiting(43*time.Second, &client.Error{StatusCode: 429, Message: "slow down"})
	p.waiting(2*time.Second, &client.Error{StatusCode: 503}) // a shorter one does not hide it
	expect("25,490 of 245,903 rows, 1,200 of 12,053 orders, about 1 min 30 s left; waiting 43 s for the service's rate limit")
	now = now.Add(44 * time.Second)
	expect("25,490 of 245,903 rows, 1,200 of 12,053 orders, about 8 min 6 s left")
	p.waiting(5*time.Second, errors.New("connection refused"))
	if got := p.line(); !bytes.HasSuffix([]byte(got), []byte("waiting 5 s because the service cannot be reached: connection refused")) {
		t.Error(got)
	}
	p = &importProgress{w: &bytes.Buffer{}, now: func() time.Time { return now }}
	p.settled(importer.Progress{Rows: 500, Bytes: 250, TotalBytes: 1000})
	expect("500 rows, 25 % of the file")
}

func TestDurationsAreSpoken(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Millisecond: "1 s", 59 * time.Second: "59 s", 2 * time.Minute: "2 min", 130 * time.Second: "2 min 10 s",
		185 * time.Minute: "3 h 5 min",
	} {
		if got := spoken(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
