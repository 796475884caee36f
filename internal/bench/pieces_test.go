package bench

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"testing"
	"time"
)

func TestTemplateOverwritesDigits(t *testing.T) {
	tmpl := newTemplate([]byte(`{"a":"X-###","b":1##.50,"c":"#"}`))
	if len(tmpl.slots) != 3 {
		t.Fatalf("%d slots", len(tmpl.slots))
	}
	for n, want := range map[uint64]string{7: `{"a":"X-007","b":107.50,"c":"7"}`, 12345: `{"a":"X-345","b":145.50,"c":"5"}`} {
		for _, slot := range tmpl.slots {
			putDigits(slot, n)
		}
		if string(tmpl.body) != want {
			t.Errorf("%d: %s, want %s", n, tmpl.body, want)
		}
	}
	if got := skuOf(42); got != "BENCH-0000042" {
		t.Error(got)
	}
}

func TestNumbersAreFoundInAnswers(t *testing.T) {
	for _, c := range []struct {
		body string
		want int
		ok   bool
	}{
		{`{"data":{"updated":5000,"notFound":0}}`, 5000, true},
		{`{"data":{"updated": 12}}`, 12, true},
		{`{"data":{"updated":0`, 0, true},
		{`{"data":{"updated":"12"}}`, 0, false},
		{`{"data":{}}`, 0, false},
	} {
		got, err := numberAfter([]byte(c.body), `"updated":`)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%s: %d %v", c.body, got, err)
		}
	}
}

func TestFeedCursorIsFollowed(t *testing.T) {
	s := &feedSource{}
	page := func(count int, more bool, next string) string {
		return fmt.Sprintf(`{"data":[{"name":"\"hasMore\":true"}],"meta":{"total":9,"since":null,"count":%d,"hasMore":%v,"nextSince":"%s",`+
			`"serverTime":"2026"}}`, count, more, next)
	}
	for _, step := range []struct {
		body  string
		items int
		since string
		fails bool
	}{
		{page(1000, true, "t1"), 1000, "t1", false},
		{page(1000, true, "t2"), 1000, "t2", false},
		{page(1000, true, "t2"), 1000, "t2", true}, // would go round for ever
		{page(7, false, "t3"), 7, "", false},
		{`{"data":[]}`, 0, "", true},
	} {
		items, err := s.answered([]byte(step.body))
		if items != step.items || s.since != step.since || (err != nil) != step.fails {
			t.Errorf("%s: %d items, since %q, %v", step.body, items, s.since, err)
		}
	}
}

func TestReceiverChecksAndCounts(t *testing.T) {
	r, err := startReceiver("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	r.expect("/a", "secret-a")
	r.expect("", "secret-of-the-rest")
	body := func(id string) string {
		return `{"id":"` + id + `","event":"order.received","timestamp":"` + time.Now().UTC().Format(time.RFC3339Nano) +
			`","data":{"id":"other"}}`
	}
	sign := func(secret, text string) []byte {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(text))
		return []byte(hex.EncodeToString(mac.Sum(nil)))
	}
	macs := map[string]hash.Hash{}
	send := func(path, secret, text string) { r.record(macs, path, sign(secret, text), []byte(text)) }
	one := body("1")
	send("/a", "secret-a", one)
	send("/a", "secret-a", one)                  // again
	send("/b", "secret-of-the-rest", one)        // the same event at another endpoint counts
	send("/a", "secret-of-the-rest", body("2"))  // signed with the wrong secret
	send("/a", "secret-a", body("3"))            // and the state of the hash is clean after it
	send("/a", "secret-a", `{"event":"no id"}`)  // no envelope
	r.record(macs, "/a", nil, []byte(body("4"))) // not signed
	got := r.sofar()
	if got.distinct != 5 || got.duplicates != 1 || got.badSignatures != 2 || !strings.Contains(got.complaint, "no id") {
		t.Errorf("distinct %d, duplicates %d, bad %d, complaint %q", got.distinct, got.duplicates, got.badSignatures, got.complaint)
	}
	if got.lag.Count() != 5 || got.lag.Max() > time.Minute {
		t.Errorf("lag of %d, at most %s", got.lag.Count(), got.lag.Max())
	}
}

func TestProcFilesAreRead(t *testing.T) {
	cpu, ok := cpuOfStat([]byte("42 (a ) b) S 1 42 42 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 9 0 100 1 2"))
	if !ok || cpu != 2*time.Second {
		t.Errorf("cpu %s %v", cpu, ok)
	}
	if _, ok := cpuOfStat([]byte("42 (cut) S 1")); ok {
		t.Error("half a line was taken")
	}
	status := "Name:\tentrepot\nVmHWM:\t  2048 kB\nVmRSS:\t    1024 kB\n"
	if got := memoryOfStatus(status, "VmRSS"); got != 1<<20 {
		t.Errorf("memory %d", got)
	}
	if got := memoryOfStatus(status, "VmSwap"); got != 0 {
		t.Errorf("absent: %d", got)
	}
}

func TestValuesAreRendered(t *testing.T) {
	f := updateFrom("a, b", "TEXT BIGINT", "UPDATE t")
	want := "WITH v (a, b) AS (VALUES (CAST($1 AS TEXT),CAST($2 AS BIGINT)),($3,$4)) UPDATE t"
	if got := f.text(2, 2); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := positional(want); strings.Count(got, "?") != 4 || strings.Contains(got, "$") {
		t.Error(got)
	}
	var r rows
	for i := range 2*rowsPerStatement + 1 {
		r.add(i, "x")
	}
	statements := r.statements(nil, f)
	if len(statements) != 3 || len(statements[2].args) != 2 || statements[1].args[0] != rowsPerStatement {
		t.Errorf("%d statements, the last with %d arguments", len(statements), len(statements[2].args))
	}
}
