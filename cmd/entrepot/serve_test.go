package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"net"
	"strings"
	"testing"
)

// Every line of the log has its form, also one that a library writes with package log, as net/http does of a webhook's receiver
// that sends more than its answer: a collector of JSON lines would stop at it or lose it.
func TestLinesOfLibrariesHaveTheFormOfTheLog(t *testing.T) {
	was, writer, flags := slog.Default(), log.Writer(), log.Flags()
	t.Cleanup(func() {
		slog.SetDefault(was)
		log.SetOutput(writer)
		log.SetFlags(flags)
	})
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"serve", "--addr", taken.Addr().String(), "--data", t.TempDir(), "--log-format", "json"},
		func(string) string { return "" }, strings.NewReader(""), io.Discard, &stderr)
	if code != failed {
		t.Fatalf("at an address that is taken: exit %d, %s", code, &stderr)
	}
	stderr.Reset()
	log.Print("unasked")
	var line struct{ Msg string }
	if err := json.Unmarshal(stderr.Bytes(), &line); err != nil || line.Msg != "unasked" {
		t.Errorf("%q, %v", &stderr, err)
	}
}
