package api

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// The link to a file is a secret: the service's log has no signature, but the size of what was sent.
func TestLogHasNoLinks(t *testing.T) {
	w := newFixture(t, "sqlite")
	made := exportRows["GET /api/v1/exports/{id}/file/{signature}"].req(w)
	var log bytes.Buffer
	w.Log = slog.New(slog.NewTextHandler(&log, nil))
	for _, r := range routes() {
		if r.name != "downloadExportByLink" {
			continue
		}
		if got := w.send(r, made, nil); got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if text := log.String(); strings.Contains(text, made.ids["signature"]) || !strings.Contains(text, "/file/***") || strings.Contains(text, "bytes=0") {
		t.Errorf("%s", text)
	}
}
