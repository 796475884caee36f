package ebay

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"entrepot/internal/connector"
)

// session is one seller account, ready to be called.
type session struct {
	connector.Unsupported
	link       connector.Link
	connector  *Connector
	base       string
	market     market
	account    *account
	tree       string            // of the marketplace's categories
	categories map[string]string // that eBay has suggested, by title
	token      string
	pushed     *pushed // the order that was changed last, nil once a write of it failed
}

// Open makes a session for one channel.
func (c *Connector) Open(l connector.Link) connector.Session {
	id := strings.ToUpper(l.Channel.Value("marketplaceId"))
	m, known := markets[id]
	if !known {
		m = market{language: "en-US", currency: "USD", site: "www.ebay.com"}
	}
	m.id = id
	return &session{link: l, connector: c, base: base(l.Channel), market: m, token: l.Channel.Value(connector.TokenField),
		categories: map[string]string{}}
}

// inventory is where products are, selling where orders are.
const (
	inventory = "/sell/inventory/v1"
	selling   = "/sell/fulfillment/v1"
	accounts  = "/sell/account/v1"
)

type fields map[string]any

// get sends a read; it may be repeated when its answer is lost.
func (s *session) get(ctx context.Context, path string, query url.Values, into any) (*connector.Response, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return s.call(ctx, http.MethodGet, path, nil, into)
}

// call sends a request with the seller's token and decodes the JSON of its answer; a refused token is renewed once.
func (s *session) call(ctx context.Context, method, path string, body, into any) (*connector.Response, error) {
	answer, err := s.attempt(ctx, method, path, body, into)
	if connector.Is(err, connector.Unauthorized) || s.token == "" {
		if err := s.renew(ctx); err != nil {
			return nil, err
		}
		answer, err = s.attempt(ctx, method, path, body, into)
	}
	return answer, err
}

func (s *session) attempt(ctx context.Context, method, path string, body, into any) (*connector.Response, error) {
	if s.token == "" {
		return nil, connector.Failf(connector.Unauthorized, "there is no access token yet")
	}
	return s.send(ctx, s.token, method, path, body, into)
}

// callAsApp sends a request with the application's own token: eBay lets no seller's token manage where notifications
// go.
func (s *session) callAsApp(ctx context.Context, method, path string, body, into any) (*connector.Response, error) {
	for again := true; ; again = false {
		token, err := s.connector.appToken(ctx, s.link.Channel)
		if err != nil {
			return nil, &connector.Failure{Kind: connector.Temporary, Message: "eBay gave no token for the application itself", Err: err}
		}
		answer, err := s.send(ctx, token, method, path, body, into)
		if !again || !connector.Is(err, connector.Unauthorized) {
			return answer, err
		}
		s.connector.tokens.forget(app(s.link.Channel)) // it was revoked before its end
	}
}

// send sends a request with a token.
func (s *session) send(ctx context.Context, token, method, path string, body, into any) (*connector.Response, error) {
	address := s.base + path
	if strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://") {
		address = path
	}
	r, err := connector.JSONRequest(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if strings.Contains(path, "/post-order/") {
		r.Header.Set("Authorization", "IAF "+token)
	}
	r.Header.Set("X-EBAY-C-MARKETPLACE-ID", s.market.id)
	if body != nil {
		r.Header.Set("Content-Language", s.market.language)
	}
	s.connector.counted(s.link.Channel, apiOf(path))
	return s.link.Client.Call(r, func(answer *connector.Response) error { return s.noteRefusal(ctx, apiOf(path), s.read(answer, into)) })
}

// problem is an error in eBay's form.
type problem struct {
	ErrorID     int64
	Message     string
	LongMessage string
	Parameters  []struct{ Name, Value string }
}

func (p problem) text() string {
	if p.LongMessage != "" {
		return connector.Line(p.LongMessage)
	}
	return connector.Line(p.Message)
}

// read converts an answer to a value or a failure.
func (s *session) read(answer *connector.Response, into any) error {
	if answer.Status < 400 {
		return connector.Accepted(answer, into)
	}
	if f := connector.GatewayPage(answer); f != nil {
		return f
	}
	var body struct{ Errors []problem }
	code, text := "", ""
	if connector.DecodeAnswer(answer, &body) == nil && len(body.Errors) > 0 {
		code, text = strconv.FormatInt(body.Errors[0].ErrorID, 10), body.Errors[0].text()
	}
	f := connector.HTTPFailure(answer, s.link.Now(), code, text)
	if f.Kind == connector.Rejected && notThere[code] {
		f.Kind = connector.Missing
	}
	return f
}

// notThere are the codes that say that an item, a group, an offer or a resource does not exist: eBay documents them
// with status 400 as well.
var notThere = map[string]bool{"25702": true, "25705": true, "25710": true, "25713": true}

// renew gets a new access token, which is valid for two hours; the refresh token stays.
func (s *session) renew(ctx context.Context) error {
	fresh, err := s.link.RenewToken(ctx, s.token, connector.Renewal{
		Request: func(ctx context.Context, c connector.Credentials) (*http.Request, error) {
			form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c["refreshToken"]}}
			r, err := connector.TokenForm(ctx, s.base+"/identity/v1/oauth2/token", form)
			if err == nil {
				r.SetBasicAuth(c["clientId"], c["clientSecret"])
			}
			return r, err
		},
		Refused: "eBay refuses the refresh token or the keyset",
	})
	if err == nil {
		s.token = fresh[connector.TokenField]
	}
	return err
}
