package platforms

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest/story"
)

// otherAnswers are what comes with status 200 in place of an answer, made of the answer itself.
func otherAnswers() map[string]func(answer []byte) []byte {
	return map[string]func([]byte) []byte{
		"a page":  func([]byte) []byte { return []byte("<!DOCTYPE html><html><h1>Just a moment…</h1></html>") },
		"nothing": func([]byte) []byte { return nil },
		"half":    func(answer []byte) []byte { return answer[:len(answer)/2] },
		"all but the end": func(answer []byte) []byte {
			return bytes.TrimRight(answer, "\n")[:len(bytes.TrimRight(answer, "\n"))-1]
		},
		"a word":           func([]byte) []byte { return []byte("OK") },
		"a gateway's JSON": func([]byte) []byte { return []byte(`{"message":"The service is unavailable."}`) },
	}
}

// meetings counts how often each request came, whatever its signature.
type meetings struct {
	mu   sync.Mutex
	seen map[string]int
}

// nameOfDocument is the name that a platform gives a document of Amazon's, in addresses and bodies: each try has a new one.
var nameOfDocument = regexp.MustCompile(`/documents/[^/"]+|"inputFeedDocumentId":"[^"]*"`)

// count counts a request and says how often it came before. Its body can be read afterwards. Requests that differ by the name of a document
// only are the same one: otherwise a feed, whose requests have a limit of one in two minutes, would never be through.
func (m *meetings) count(r *http.Request) int {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	query := r.URL.Query()
	maps.DeleteFunc(query, func(name string, _ []string) bool {
		return name == "timestamp" || name == "sign" || strings.HasPrefix(name, "oauth_")
	})
	what := (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		m.seen = map[string]int{}
	}
	key := nameOfDocument.ReplaceAllString(r.Method+" "+what+" "+string(body), "")
	m.seen[key]++
	return m.seen[key] - 1
}

// between gives another body in place of each first answer of a shop with status 200 to a request, while other is set.
type between struct {
	shop  http.Handler
	other func(answer []byte) []byte
	met   meetings
}

func (b *between) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.other == nil || b.met.count(r) > 0 {
		b.shop.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	b.shop.ServeHTTP(answer, r)
	body := answer.Body.Bytes()
	if answer.Code == http.StatusOK && len(body) > 0 {
		body = b.other(body)
	}
	maps.Copy(w.Header(), answer.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body)
}

// The first answer to each request of a read is another one: what was read is what is read without that.
func TestReadsOfOtherAnswers(t *testing.T) {
	for _, shop := range shops() {
		t.Run(shop.Platform, func(t *testing.T) {
			t.Parallel()
			man := &between{shop: shop.Handler}
			o := open(t, shop, man)
			sold := o.publish(t)
			id := shop.Buy(story.Wish{Lines: []story.Line{{SKU: sold[0].SKU, Quantity: 2, Cents: 1000}}, Email: "ada@shop.example"})
			since := o.Clock().Add(-24 * time.Hour)
			o.Pass(time.Hour)
			for name, read := range map[string]func() (any, error){
				"Test":       func() (any, error) { return o.Test(t.Context()) },
				"ReadStock":  func() (any, error) { return o.ReadStock(t.Context(), sold) },
				"PullOrder":  func() (any, error) { return o.PullOrder(t.Context(), id) },
				"PullOrders": func() (any, error) { return o.pull(t, since) },
			} {
				want, err := read()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for what, other := range otherAnswers() {
					o.Pass(time.Hour) // the platform gives so many orders at a time
					man.met.seen, man.other = nil, other
					got, err := read()
					if man.other = nil; err != nil || !reflect.DeepEqual(got, want) {
						t.Errorf("%s, %s: %+v, %v, want %+v", name, what, got, err, want)
					}
				}
			}
		})
	}
}

// pull reads all orders since a time.
func (o *opened) pull(t *testing.T, since time.Time) (all []connector.Order, err error) {
	for cursor := (connector.Cursor{Since: since}); ; {
		page, err := o.PullOrders(t.Context(), cursor)
		all = append(all, page.Orders...)
		if cursor.Page = page.Next; err != nil || cursor.Page == "" {
			return all, err
		}
	}
}
