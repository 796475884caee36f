package amazon

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"entrepot/internal/connector"
)

// Bounds of a feed's report. The client accepts 16 MB of its packed form.
const (
	maxReport = 512 << 20 // unpacked: 25,000 messages with many issues each
	maxIssue  = 1 << 20   // one issue, or any other member

	maxCancelled = 16 << 20 // a report about cancellations, which is read whole
)

// errReportTooLarge is the failure for a report beyond its bounds. The feed itself was done.
var errReportTooLarge = connector.Failf(connector.Rejected,
	"Amazon has done the feed, but its report of what was refused is too large to be read: publish again what is not on sale")

// report is the unpacked text of a feed's report, read as it is needed. It ends with errReportTooLarge beyond its
// bounds.
type report struct {
	text io.Reader
	left int64 // bytes in all
	item int64 // bytes of the member that is being read
}

// Read reads a piece.
func (r *report) Read(p []byte) (int, error) {
	most := min(r.left, r.item)
	if most <= 0 {
		if n, err := r.text.Read(p[:min(1, len(p))]); n == 0 {
			return 0, err
		}
		return 0, errReportTooLarge
	}
	n, err := r.text.Read(p[:min(most, int64(len(p)))])
	r.left, r.item = r.left-int64(n), r.item-int64(n)
	return n, err
}

// report opens the report of a feed; it is empty if there is none.
func (s *session) report(ctx context.Context, id string) (*report, error) {
	open := func(text io.Reader) *report { return &report{text: text, left: maxReport, item: maxIssue} }
	if id == "" {
		return open(bytes.NewReader(nil)), nil
	}
	var doc document
	if err := s.call(ctx, request{getDocument, http.MethodGet, feedsPath + "/documents/" + url.PathEscape(id), nil, nil}, &doc); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, doc.URL, nil)
	if err != nil {
		return nil, connector.Failf(connector.Rejected, "Amazon names no address for a feed's report")
	}
	answer, err := s.link.Client.Do(r)
	if errors.Is(err, connector.ErrTooLarge) {
		return nil, errReportTooLarge
	}
	if err != nil {
		return nil, err
	}
	if f := connector.HTTPFailure(answer, s.link.Now(), "", "Amazon did not give a feed's report"); f != nil {
		return nil, signedFailure(f)
	}
	if doc.CompressionAlgorithm != "GZIP" {
		return open(bytes.NewReader(answer.Body)), nil
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(answer.Body))
	if err != nil {
		return nil, &connector.Failure{Kind: connector.Temporary, Message: "a feed's report is not packed as Amazon says", Err: err}
	}
	return open(unpacked), nil
}

// all is the text of a feed's report about cancellations.
func (r *report) all() ([]byte, error) {
	r.item = maxCancelled
	return io.ReadAll(r)
}

// errors reads the issues of a feed of listings that refuse something. It drops others, such as warnings.
func (r *report) errors() (list []feedIssue, err error) {
	d := json.NewDecoder(r)
	defer func() {
		switch {
		case errors.Is(err, io.EOF) && d.InputOffset() == 0: // there is no report
			err = nil
		case err != nil && !errors.Is(err, errReportTooLarge):
			err = &connector.Failure{Kind: connector.Temporary, Message: "a feed's report is not what Amazon documents", Err: err}
		}
	}()
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		if name != "issues" {
			err = r.one(d, new(json.RawMessage))
		} else if _, err = d.Token(); err == nil {
			list, err = r.issues(d)
		}
		if err != nil {
			return nil, err
		}
	}
	_, err = d.Token()
	return list, err
}

// issues reads the rest of the list of issues.
func (r *report) issues(d *json.Decoder) (list []feedIssue, err error) {
	for d.More() {
		var one feedIssue
		if err := r.one(d, &one); err != nil {
			return nil, err
		}
		if one.Severity == "ERROR" {
			one.Message = connector.Line(one.Message)
			list = append(list, one)
		}
	}
	_, err = d.Token()
	return list, err
}

// one reads a value.
func (r *report) one(d *json.Decoder, into any) error {
	r.item = maxIssue
	return d.Decode(into)
}
