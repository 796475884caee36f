package amazon

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// session is one seller account on one marketplace, ready to be called.
type session struct {
	connector.Unsupported
	link   connector.Link
	market market
	known  bool // the marketplace is one of those this service has heard of
	base   string
	login  string
	seller string
	token  string
	until  time.Time               // when the token ends
	fresh  bool                    // the token was renewed by this session
	last   *order                  // the order that was read last, unless something was written since
	feeds  map[string]*feedOutcome // of the feeds that were polled
	off    map[string]string       // see OffSale

	cancel       []cancellation             // what Send cancels
	acknowledged map[string]acknowledgement // feeds of cancellations that were asked for
}

// Open makes a session for one channel.
func (*Connector) Open(l connector.Link) connector.Session {
	m, known := marketOf(l.Channel.Value("marketplaceId"))
	s := &session{link: l, market: m, known: known, base: m.host, login: login, seller: l.Channel.Value("sellerId")}
	if other := strings.TrimRight(l.Channel.Value("baseUrl"), "/"); other != "" {
		s.base = other
		// the sandbox has no login of its own
		if u, err := url.Parse(other); err == nil && !strings.HasSuffix(u.Hostname(), ".amazon.com") {
			s.login = other
		}
	}
	s.take(l.Channel.Credentials)
	return s
}

// take stores the token of credentials.
func (s *session) take(c connector.Credentials) {
	s.token = c[connector.TokenField]
	s.until, _ = time.Parse(time.RFC3339, c[connector.TokenUntil])
}

// tokenMargin is how long before its end a token is renewed.
const tokenMargin = time.Minute

type fields map[string]any

// operation is one kind of request of the API, with its documented limit; answers may give another one.
type operation struct {
	name  string
	every time.Duration
	burst int
}

// The operations that are used.
var (
	participations  = operation{"getMarketplaceParticipations", 62500 * time.Millisecond, 15}
	searchOrders    = operation{"searchOrders", 178571 * time.Millisecond, 20}
	getOrder        = operation{"getOrder", 2 * time.Second, 30}
	confirmShipment = operation{"confirmShipment", 500 * time.Millisecond, 10}
	searchListings  = operation{"searchListingsItems", 200 * time.Millisecond, 5}
	putListing      = operation{"putListingsItem", 200 * time.Millisecond, 10}
	patchListing    = operation{"patchListingsItem", 200 * time.Millisecond, 5}
	deleteListing   = operation{"deleteListingsItem", 200 * time.Millisecond, 5}
	createDocument  = operation{"createFeedDocument", 2 * time.Second, 15}
	createFeed      = operation{"createFeed", 120481 * time.Millisecond, 15}
	// five in five minutes at the most
	createListings = operation{"createFeed of listings", 120481 * time.Millisecond, 5}
	getFeed        = operation{"getFeed", 500 * time.Millisecond, 15}
	getDocument    = operation{"getFeedDocument", 45045 * time.Millisecond, 10}
)

func limits() []connector.Limit {
	list := []connector.Limit{{AtOnce: 4}} // the login, and documents that lie elsewhere
	for _, op := range []operation{participations, searchOrders, getOrder, confirmShipment, searchListings, putListing, patchListing,
		deleteListing, createDocument, createFeed, createListings, getFeed, getDocument} {
		list = append(list, connector.Limit{Name: op.name, Every: op.every, Burst: op.burst, AtOnce: 2})
	}
	return list
}

// request is one request of the API; body is sent as JSON, nil for none.
type request struct {
	op           operation
	method, path string
	query        url.Values
	body         any
}

// call sends a request with the seller's token and decodes the JSON of its answer. An expired token is renewed before,
// a refused one once.
func (s *session) call(ctx context.Context, r request, into any) error {
	if s.token == "" || !s.until.IsZero() && !s.link.Now().Before(s.until) {
		if err := s.renew(ctx); err != nil {
			return err
		}
	}
	err := s.attempt(ctx, r, into)
	f := connector.FailureOf(err)
	// both stand for a token that ended
	if f != nil && (f.Kind == connector.Unauthorized || f.Kind == connector.Forbidden) && !s.fresh {
		if err := s.renew(ctx); err != nil {
			return err
		}
		err = s.attempt(ctx, r, into)
	}
	return err
}

func (s *session) attempt(ctx context.Context, r request, into any) error {
	address := s.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	ctx = connector.Signed(connector.Within(ctx, r.op.name), func(out *http.Request) error {
		out.Header.Set("User-Agent", agent(out.Header.Get("User-Agent")))
		out.Header.Set("X-Amz-Date", s.link.Now().UTC().Format("20060102T150405Z"))
		return nil
	})
	out, err := connector.JSONRequest(ctx, r.method, address, r.body)
	if err != nil {
		return err
	}
	out.Header.Set("X-Amz-Access-Token", s.token)
	_, err = s.link.Client.Call(out, func(answer *connector.Response) error { return s.read(r.op, answer, into) })
	if f := connector.FailureOf(err); f != nil && f.Kind == connector.Throttled {
		f.Share = true // Amazon limits each operation separately: an exhausted search for orders delays no product
	}
	return err
}

// agent is the User-Agent in Amazon's form: App/Version (Language=…).
func agent(name string) string {
	name, _, _ = strings.Cut(name, " ")
	if !strings.Contains(name, "/") {
		name += "/1"
	}
	return name + " (Language=Go)"
}

// read converts an answer to a value or a failure, and applies the limit in it.
func (s *session) read(op operation, answer *connector.Response, into any) error {
	every := op.every
	if rate, err := strconv.ParseFloat(answer.Header.Get("X-Amzn-RateLimit-Limit"), 64); err == nil && rate > 0 {
		s.link.Client.Pace(op.name, rate)
		every = time.Duration(float64(time.Second) / rate)
	}
	if answer.Status < 400 {
		return connector.Accepted(answer, into)
	}
	if f := connector.GatewayPage(answer); f != nil {
		return f
	}
	var body struct {
		Errors []struct{ Code, Message, Details string }
	}
	code, text := "", ""
	if connector.DecodeAnswer(answer, &body) == nil && len(body.Errors) > 0 {
		code, text = body.Errors[0].Code, cmp.Or(body.Errors[0].Message, body.Errors[0].Details)
	}
	f := connector.HTTPFailure(answer, s.link.Now(), code, text)
	// Amazon names no time to wait: one permit later there is one
	if f.Kind == connector.Throttled || code == "QuotaExceeded" {
		f.Kind, f.After = connector.Throttled, max(f.After, every)
		s.link.Client.Hold(op.name, every)
	}
	return f
}

// renew gets a new access token, which is valid for an hour. A refresh token in the answer replaces the stored one.
func (s *session) renew(ctx context.Context) error {
	fresh, err := s.link.RenewToken(ctx, s.token, connector.Renewal{
		Request: func(ctx context.Context, c connector.Credentials) (*http.Request, error) {
			return connector.TokenForm(ctx, s.login+"/auth/o2/token", url.Values{"grant_type": {"refresh_token"},
				"refresh_token": {c["refreshToken"]}, "client_id": {c["clientId"]}, "client_secret": {c["clientSecret"]}})
		},
		Read:    s.newToken,
		Refused: "Amazon refuses the refresh token or the app's client id and secret",
	})
	if err != nil {
		return err
	}
	s.take(fresh)
	s.fresh = true
	return nil
}

// newToken reads the login's answer, with the end of the token.
func (s *session) newToken(answer *connector.Response) (connector.Credentials, error) {
	change, err := connector.OAuthToken(answer)
	if err != nil {
		return nil, err
	}
	var out struct {
		ExpiresIn int64 `json:"expires_in"`
	}
	change[connector.TokenUntil] = ""
	if connector.DecodeAnswer(answer, &out) == nil && out.ExpiresIn > 0 {
		change[connector.TokenUntil] = s.link.Now().Add(time.Duration(out.ExpiresIn)*time.Second - tokenMargin).UTC().Format(time.RFC3339)
	}
	return change, nil
}
