package woocommerce

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/connector"
)

// Open makes a session.
func (*Connector) Open(link connector.Link) connector.Session {
	address := link.Channel.Value("baseUrl")
	if address == "" {
		address = link.Channel.Value("url")
	}
	// what merchants copy from their browser
	for _, inside := range []string{"/wp-json", "/wp-admin", "/wp-login.php"} {
		address, _, _ = strings.Cut(address, inside)
	}
	return &session{link: link, base: strings.TrimRight(address, "/"),
		key: consumer{link.Channel.Credentials["consumerKey"], link.Channel.Credentials["consumerSecret"]}}
}

// session is one shop.
type session struct {
	connector.Unsupported
	link connector.Link
	base string // the shop's address, without a slash at the end
	key  consumer
	unit *string // of weights, nil until it is read
}

// Ways of authentication: shops on plain http accept only signatures, some hosts remove the Authorization header.
const (
	authHeader = "header"
	authQuery  = "query"
	authSigned = "signed"
)

// Names of facts.
const (
	authFact     = "auth"
	trackingFact = "tracking"
	secretFact   = "hookSecret" // fingerprint of the secret that the webhooks have
)

// ways are the ways to try, the one that worked before or the most likely one first: a host may change what it removes.
func (s *session) ways() []string {
	ways := []string{authHeader, authQuery}
	if strings.HasPrefix(strings.ToLower(s.base), "http:") {
		ways = []string{authSigned, authHeader}
	}
	if s.link.Facts.Fact(authFact) == ways[1] {
		slices.Reverse(ways)
	}
	return ways
}

// get reads a resource of wc/v3 into a value and gives the answer.
func (s *session) get(ctx context.Context, path string, query url.Values, into any) (*connector.Response, error) {
	return s.call(ctx, http.MethodGet, "/wc/v3"+path, query, nil, into)
}

// pageOf is how many entries a page has at most.
const pageOf = 100

// list reads all pages of a list of wc/v3.
func list[T any](ctx context.Context, s *session, path string, query url.Values) (all []T, err error) {
	query.Set("per_page", strconv.Itoa(pageOf))
	for page := 1; ; page++ {
		query.Set("page", strconv.Itoa(page))
		var some []T
		answer, err := s.get(ctx, path, query, &some)
		if err != nil {
			return nil, err
		}
		if all = append(all, some...); lastPage(answer, page, len(some) < pageOf) {
			return all, nil
		}
	}
}

// lastPage reports whether no page follows. A page that is not full need not be the last: the shop leaves out records
// that it cannot load, such as an order of a removed plugin, and some hosts return fewer than requested.
func lastPage(answer *connector.Response, page int, short bool) bool {
	if pages, err := strconv.Atoi(answer.Header.Get("X-WP-TotalPages")); err == nil {
		return page >= pages
	}
	return short
}

// call sends a request with the shop's key and reads the answer into a value. Errors: *connector.Failure.
func (s *session) call(ctx context.Context, method, path string, query url.Values, body, into any) (*connector.Response, error) {
	var first error
	for _, way := range s.ways() {
		answer, err := s.send(ctx, way, method, path, query, body, func(answer *connector.Response) error {
			if err := s.failure(answer); err != nil {
				return err
			}
			s.link.Facts.Keep(authFact, way)
			return connector.Accepted(answer, into)
		})
		if f := connector.FailureOf(err); f != nil && f.Code == noRoute && core(path) {
			f.Kind, f.Message = connector.Temporary, "WooCommerce is switched off in the shop"
		}
		if !connector.Is(err, connector.Unauthorized) {
			return answer, err
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// noRoute is WordPress' code for an address that nothing of the site answers.
const noRoute = "rest_no_route"

// core reports whether an address is one that every WooCommerce has. Parcels are not: they can be switched off.
func core(path string) bool {
	return strings.HasPrefix(path, "/wc/v3/") && !strings.HasSuffix(path, "/fulfillments")
}

// errNoREST says that an answer is not of WordPress.
var errNoREST = errors.New("a page in place of an answer")

// send sends a request, authenticated in one way, and has read convert the answer.
func (s *session) send(ctx context.Context, way, method, path string, query url.Values, body any, read func(*connector.Response) error) (
	*connector.Response, error) {
	address := s.base + "/wp-json" + path
	all := url.Values{}
	for name, values := range query {
		all[name] = values
	}
	if way == authQuery {
		all.Set("consumer_key", s.key.key)
		all.Set("consumer_secret", s.key.secret)
	}
	if len(all) > 0 {
		address += "?" + encode(all)
	}
	if way == authSigned {
		ctx = connector.Signed(ctx, func(r *http.Request) error { return s.sign(r, address) })
	}
	r, err := connector.JSONRequest(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	if way == authHeader {
		r.SetBasicAuth(s.key.key, s.key.secret)
	}
	return s.link.Client.Call(r, read)
}

// sign gives a request the address with a fresh signature.
func (s *session) sign(r *http.Request, address string) error {
	var nonce [12]byte
	_, _ = rand.Read(nonce[:]) // it never fails
	signed, err := s.key.sign(r.Method, address, hex.EncodeToString(nonce[:]), s.link.Now())
	if err != nil {
		return err
	}
	r.URL, err = url.Parse(signed)
	return err
}

// problem is WordPress' shape of an error, of a call or of one entry of a batch.
type problem struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"` // an object, but a bare number in some
}

// resource is the id of what is in the way.
func (p problem) resource() string {
	var data struct {
		ID flexible `json:"resource_id"`
	}
	_ = json.Unmarshal(p.Data, &data)
	return string(data.ID)
}

// skuTaken is the code of the refusal of a SKU that the shop takes for that of another product: it compares without
// case and accents.
const skuTaken = "product_invalid_sku"

// text is the message as people read it, and what they can do.
func (p problem) text() string {
	text := connector.Line(html.UnescapeString(p.Message))
	if other := p.resource(); p.Code == skuTaken && other != "" {
		text += " Product " + connector.Line(other) + " of the shop has it, or one that is the same to the shop: give one of both another SKU."
	}
	return text
}

// failure is the failure that an answer's status means; nil for success.
func (s *session) failure(answer *connector.Response) error {
	if answer.Status < 400 {
		return nil
	}
	var p problem
	if connector.DecodeAnswer(answer, &p) != nil || p.Code == "" {
		p = problem{}
	}
	f := connector.HTTPFailure(answer, s.link.Now(), p.Code, html.UnescapeString(p.Message))
	switch {
	case answer.Status == http.StatusNotFound && p.Code == "": // also of a host that is at work on the site
		f.Kind, f.Message, f.Err = connector.Temporary, "the address has no WordPress with a REST interface", errNoREST
	case answer.Status == http.StatusForbidden && p.Code == "", answer.Status == http.StatusNotAcceptable && p.Code == "":
		f.Kind, f.Message, f.Err = connector.Temporary, "something that stands before the shop refuses the request, such as a firewall", errNoREST
	case p.Code == noRoute:
		f.Kind, f.Message = connector.Missing, "the shop has no such function: "+f.Message
	case strings.HasPrefix(p.Code, "woocommerce_rest_cannot_") && answer.Status == http.StatusUnauthorized:
		f.Kind = connector.Unauthorized
	case answer.Status >= 500 && strings.HasPrefix(p.Code, "woocommerce_rest_"): // an answer, not an accident
		f.Kind = connector.Rejected
	case answer.Status >= 500 && p.Code == "internal_server_error":
		f.Message = "the shop has a critical error, probably of a plugin"
	case connector.GaveUp(answer):
		f.Message, f.Err = "the shop's host waited too long for the shop", connector.ErrGatewayTimeout
	case answer.Status >= 500 && p.Code == "":
		f.Message = "the shop answered " + http.StatusText(answer.Status)
	}
	return f
}

// isCode reports whether an error has one of the platform's codes.
func isCode(err error, codes ...string) bool {
	var f *connector.Failure
	if !errors.As(err, &f) {
		return false
	}
	for _, code := range codes {
		if f.Code == code {
			return true
		}
	}
	return false
}
