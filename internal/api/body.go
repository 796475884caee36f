package api

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/jsonvalue"
)

// valueLimit is the largest number of JSON values in a body outside the bulk routes. Three members of free JSON alone
// may have 98,000.
const valueLimit = 100_000

// A body must arrive within bodyTime, plus the time that its bytes so far take at bodyRate.
const (
	bodyTime = 15 * time.Second
	bodyRate = 32 << 10 // bytes a second
	bodyStep = 64 << 10 // memory reserved for a body before any of it arrives, however large its Content-Length
	bulkWait = 10 * time.Second

	bulkTimes = 2 // the memory of a body of a bulk route: its text, and what is decoded from it
)

// readBody reads and parses the body of a route that takes one.
func (a *API) readBody(r *request) error {
	if r.reads() || r.route.file || r.route.access == public && r.route.body == nil {
		return nil
	}
	raw, err := a.readAll(r, r.route.bound())
	if err != nil {
		return err
	}
	if (r.route.body == nil || r.route.optional) && len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	if err := isJSON(r.http.Header); err != nil && (len(raw) > 0 || r.http.Header.Get("Content-Type") != "") {
		if r.route.body == nil {
			return nil
		}
		return err
	}
	raw = bytes.TrimPrefix(raw, byteOrderMark)
	most := valueLimit
	if r.route.sdk() {
		most = jsonvalue.MaxValues
	}
	// The memory for its values, and for the handler's work on it.
	values := jsonvalue.ValueSize * min(jsonvalue.Weigh(raw), 2*most)
	r.decoding = values + cap(raw)
	weight := values + len(raw)
	if r.route.sdk() {
		weight += 2 * len(raw) // for the plan made from it, and for what is written
	}
	if err := a.pause(r, func() error { return r.holds(weight) }); err != nil {
		return err
	}
	if r.body, err = jsonvalue.ParseWithin(raw, most); err != nil && r.route.body == nil {
		err = nil
	}
	return err
}

// holds reserves more bytes of the node's memory for the request.
func (r *request) holds(n int) error { return r.share.Grow(r.ctx(), int64(n)) }

// willWrite reserves memory for an answer of so many bytes.
func (r *request) willWrite(n int) error {
	more := n - r.written
	if more <= 0 {
		return nil
	}
	r.written = n
	return r.holds(more)
}

// readAll reads the whole body. Memory is reserved for bytes that have arrived and not for what was announced, except
// on the bulk routes: their bodies wait in the caller's connection until there is memory for all of it, at most
// bulkWait. If they took memory as they arrive, many at once would each hold a part and none would ever be complete.
func (a *API) readAll(r *request, bound int64) (raw []byte, err error) {
	size := r.http.ContentLength
	switch {
	case size > bound:
		return nil, tooLarge(bound)
	case size == 0:
		return nil, nil
	}
	err = a.pause(r, func() error {
		reserved := int64(0)
		if r.route.sdk() && (size < 0 || size > bodyStep) {
			if reserved = size; size < 0 {
				reserved = bound
			}
			r.bulk = a.bulk.Share(0)
			r.bulk.Account, r.bulk.Wait, r.share.Wait = r.share.Account, bulkWait, bulkWait
			if err := r.bulk.Grow(r.ctx(), bulkTimes*reserved); err != nil {
				return err
			}
		}
		raw, err = r.read(bound, reserved)
		return err
	})
	return raw, err
}

// read reads a body of at most bound bytes into the memory reserved for it, or reserves more as it arrives.
func (r *request) read(bound, reserved int64) ([]byte, error) {
	began, control := time.Now(), http.NewResponseController(r.out)
	// or it would interrupt the work on a body that arrived in time
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	from := http.MaxBytesReader(r.out, r.http.Body, bound)
	room := max(bodyStep, reserved+1)
	if size := r.http.ContentLength; size > 0 {
		room = min(room, size+1)
	}
	raw := make([]byte, 0, room)
	if err := r.holds(cap(raw)); err != nil {
		return nil, err
	}
	for {
		// Without a connection, in tests, there is no deadline and the read cannot stall.
		_ = control.SetReadDeadline(began.Add(bodyTime + time.Duration(len(raw))*time.Second/bodyRate))
		n, err := from.Read(raw[len(raw):cap(raw)])
		raw = raw[:len(raw)+n]
		var over *http.MaxBytesError
		switch {
		case err == io.EOF:
			return raw, nil
		case errors.As(err, &over):
			return nil, tooLarge(bound)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, apperr.New(apperr.Slow, "body_timeout", "the body did not come in time")
		case err != nil:
			return nil, apperr.New(apperr.Invalid, "invalid_json", "the body ended too early")
		case len(raw) == cap(raw):
			room := min(2*int64(cap(raw)), bound+1)
			if err := r.holds(int(room)); err != nil { // the old buffer is still there while it is copied
				return nil, err
			}
			raw = append(make([]byte, 0, room), raw...)
		}
	}
}

func tooLarge(bound int64) error {
	if bound < 1<<20 {
		return apperr.New(apperr.TooLarge, "body_too_large", "the body is larger than %d KB", bound>>10)
	}
	return apperr.New(apperr.TooLarge, "body_too_large", "the body is larger than %d MB", bound>>20)
}

// byteOrderMark is the mark that some systems write before UTF-8.
var byteOrderMark = []byte("\xEF\xBB\xBF")

func isJSON(h http.Header) error {
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return apperr.New(apperr.Unsupported, "unsupported_media_type", "send the body without Content-Encoding")
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	foreign := charset != "" && charset != "utf-8" && charset != "utf8"
	if err != nil || foreign || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return apperr.New(apperr.Unsupported, "unsupported_media_type", "send JSON in UTF-8 with Content-Type: application/json")
	}
	return nil
}
