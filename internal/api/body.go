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

	"entrepot/internal/apperr"
	"entrepot/internal/jsonvalue"
)

// valueLimit is the most values of a body outside the bulk routes. Three members of free JSON alone may hold 98,000.
const valueLimit = 100_000

// A body must come in time: after bodyTime at the latest, and that much later for each second's worth of bytes that has come.
const (
	bodyTime = 15 * time.Second
	bodyRate = 32 << 10 // bytes a second
	bodyStep = 64 << 10 // what is taken for a body before any of it is here, however large it is said to be
	bulkWait = 10 * time.Second
)

// readBody reads and parses the body of a route that takes one.
func (a *API) readBody(r *request) error {
	if r.http.Method == http.MethodGet || r.http.Method == http.MethodHead || r.route.access == public && r.route.body == nil {
		return nil
	}
	raw, err := a.readAll(r, r.route.bound())
	if err != nil {
		return err
	}
	if (r.route.body == nil || r.route.optional) && len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	if err := isJSON(r.http.Header); err != nil {
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
	// What the handler makes of it, and its values.
	weight := jsonvalue.ValueSize*min(jsonvalue.Weigh(raw), 2*most) + len(raw)
	if r.route.sdk() {
		weight += 2 * len(raw) // what is planned from it, and what is written
	}
	if err := a.pause(r, func() error { return r.holds(weight) }); err != nil {
		return err
	}
	if r.body, err = jsonvalue.ParseWithin(raw, most); err != nil && r.route.body == nil {
		err = nil
	}
	return err
}

// holds counts more bytes that the request takes of the node's memory.
func (r *request) holds(n int) error { return r.share.Grow(r.ctx(), int64(n)) }

// willWrite counts an answer that is going to take so many bytes of memory, or takes them already.
func (r *request) willWrite(n int) error {
	more := n - r.written
	if more <= 0 {
		return nil
	}
	r.written = n
	return r.holds(more)
}

// readAll reads the body whole. Nothing is taken for what was only announced, but for the bulk routes: their bodies wait in the caller's
// connection until there is room for all of it, for bulkWait at the most. If they took room as they come, many at once would each
// hold a part and none would ever be whole.
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
			if err := r.bulk.Grow(r.ctx(), reserved); err != nil {
				return err
			}
		}
		raw, err = r.read(bound, reserved)
		return err
	})
	return raw, err
}

// read reads a body of at most bound bytes into as much memory as is reserved for it, or as it comes.
func (r *request) read(bound, reserved int64) ([]byte, error) {
	began, control := time.Now(), http.NewResponseController(r.out)
	defer func() { _ = control.SetReadDeadline(time.Time{}) }() // else it would end the work on a body that came in time
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
		// Without a connection there is no deadline, and nothing can stall.
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
			return nil, apperr.New(apperr.Invalid, "invalid_json", "the body did not come in time")
		case err != nil:
			return nil, apperr.New(apperr.Invalid, "invalid_json", "the body ended too early")
		case len(raw) == cap(raw):
			room := min(2*int64(cap(raw)), bound+1)
			if err := r.holds(int(room)); err != nil { // the old one is still there while it is copied
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

// byteOrderMark is what some systems put before their UTF-8.
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
