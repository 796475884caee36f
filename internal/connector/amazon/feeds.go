package amazon

import (
	"bytes"
	"context"
	"net/http"
	"net/url"

	"entrepot/internal/connector"
)

// Feeds change many records with one request: a document is created and uploaded, the feed is queued with it, and when
// Amazon has processed it a second document reports what was refused.

// Types of feeds, and what their documents are.
const (
	listingsFeed = "JSON_LISTINGS_FEED"
	listingsForm = "application/json; charset=UTF-8"
	ordersFeed   = "POST_ORDER_ACKNOWLEDGEMENT_DATA"
	ordersForm   = "text/xml; charset=UTF-8"
)

const feedsPath = "/feeds/2021-06-30"

// document is the location of a feed's document. The address is signed and valid for some minutes.
type document struct{ FeedDocumentID, URL, CompressionAlgorithm string }

// submit queues a feed and returns its id. Submitting it twice does no harm: both kinds of feeds set absolute values.
func (s *session) submit(ctx context.Context, op operation, kind, form string, content []byte) (feed string, err error) {
	var doc document
	err = s.call(connector.Repeatable(ctx), request{createDocument, http.MethodPost, feedsPath + "/documents", nil,
		fields{"contentType": form}}, &doc)
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(connector.Repeatable(ctx), http.MethodPut, doc.URL, bytes.NewReader(content))
	if err != nil {
		return "", connector.Failf(connector.Rejected, "Amazon names no address for a feed's document")
	}
	r.Header.Set("Content-Type", form)
	answer, err := s.link.Client.Do(r)
	if err != nil {
		return "", err
	}
	if f := connector.HTTPFailure(answer, s.link.Now(), "", "Amazon did not take a feed's document"); f != nil {
		return "", signedFailure(f)
	}
	var out struct{ FeedID string }
	err = s.call(connector.Repeatable(ctx), request{op, http.MethodPost, feedsPath + "/feeds", nil,
		fields{"feedType": kind, "marketplaceIds": []string{s.market.id}, "inputFeedDocumentId": doc.FeedDocumentID}}, &out)
	if err == nil && out.FeedID == "" {
		err = connector.Failf(connector.Temporary, "Amazon queued a feed without a name")
	}
	return out.FeedID, err
}

// signedFailure is the failure of a request to a signed address. A refusal there does not mean that the channel's
// credentials are refused.
func signedFailure(f *connector.Failure) *connector.Failure {
	if f.Kind != connector.Throttled {
		f.Kind = connector.Temporary
	}
	return f
}

// Final states of a feed.
const (
	feedDone      = "DONE"
	feedFatal     = "FATAL"
	feedCancelled = "CANCELLED"
)

// feed is the state of a feed; ended is false while Amazon processes it.
func (s *session) feed(ctx context.Context, id string) (state, report string, ended bool, err error) {
	var out struct{ ProcessingStatus, ResultFeedDocumentID string }
	err = s.call(ctx, request{getFeed, http.MethodGet, feedsPath + "/feeds/" + url.PathEscape(id), nil, nil}, &out)
	switch out.ProcessingStatus {
	case feedDone, feedFatal, feedCancelled:
		ended = err == nil
	}
	return out.ProcessingStatus, out.ResultFeedDocumentID, ended, err
}
