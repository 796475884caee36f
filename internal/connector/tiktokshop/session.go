package tiktokshop

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// Where TikTok Shop answers when the channel names no other address.
const (
	apiHost  = "https://open-api.tiktokglobalshop.com"
	authHost = "https://auth.tiktok-shops.com"
)

// session is one shop, ready to be called.
type session struct {
	connector.Unsupported
	link       connector.Link
	api, auth  string // addresses without a slash at the end
	token      string
	until      time.Time     // from when on the token is renewed; zero if that is not known
	clockAhead time.Duration // of the platform's clock before ours, once it has refused ours
	region     string
	warehouse  string            // see salesWarehouse
	listed     []warehouse       // see warehouses; nil until they are read
	unlisted   bool              // they may not be read
	rules      map[string]*rules // by category
	brands     map[string]string // ids by category and name
	carriers   map[string][]carrier
	off        map[string]string // see OffSale
	ahead      map[string]*order // orders that were read before they are changed, as far as writes since have changed them
}

// Open makes a session for one channel.
func (*Connector) Open(l connector.Link) connector.Session {
	s := &session{link: l, api: apiHost, auth: authHost}
	s.take(l.Channel.Credentials)
	if other := strings.TrimRight(l.Channel.Value("baseUrl"), "/"); other != "" {
		s.api, s.auth = other, other
	}
	return s
}

// take stores the token of credentials.
func (s *session) take(c connector.Credentials) {
	s.token = c[connector.TokenField]
	s.until, _ = time.Parse(time.RFC3339, c[connector.TokenUntil])
}

// tokenMargin is how long before its end a token is renewed.
const tokenMargin = time.Hour

func (s *session) now() time.Time { return s.link.Now().Add(s.clockAhead) }

// request is one request of the API.
type request struct {
	method, path string
	query        url.Values
	body         any    // sent as JSON
	form         []byte // sent as it is in place of a body: a form with a file, which the signature leaves out
	formType     string
	account      bool // about the seller's account, not about one shop: the platform then refuses a shop's cipher
}

type fields map[string]any

// call sends a request and decodes the data of its answer. It renews a token that ends soon before, an expired one
// once, and corrects a time that the platform refuses by the platform's own clock once.
func (s *session) call(ctx context.Context, r request, into any) (*connector.Response, error) {
	renewed, set := false, false
	if !s.until.IsZero() && !s.now().Before(s.until) {
		if err := s.renew(ctx); err != nil && !s.now().Before(s.until.Add(tokenMargin)) {
			return nil, err // else the token is good still, and the next call tries again
		}
	}
	for {
		answer, err := s.attempt(ctx, r, into)
		f := connector.FailureOf(err)
		switch {
		case f == nil:
			return answer, nil
		case tokenEnded[f.Code] && !renewed:
			renewed = true
			if err := s.renew(ctx); err != nil {
				return nil, err
			}
		case f.Kind == connector.Unauthorized && !set && s.setClock(answer):
			set = true
		default:
			return answer, err
		}
	}
}

// setClock uses the platform's clock from now on, if it differs from the service's by more than the platform tolerates.
func (s *session) setClock(answer *connector.Response) bool {
	if answer == nil || answer.Date().IsZero() {
		return false
	}
	off := answer.Date().Sub(s.now())
	s.clockAhead += off
	return off.Abs() > 20*time.Second
}

func (s *session) attempt(ctx context.Context, r request, into any) (*connector.Response, error) {
	content, contentType := r.form, r.formType
	signed := content[:0:0]
	if r.form == nil {
		contentType = "application/json"
		if r.body != nil {
			var err error
			if content, err = json.Marshal(r.body); err != nil {
				return nil, err
			}
		}
		signed = content
	}
	c := s.link.Channel.Credentials
	ctx = connector.Signed(ctx, func(out *http.Request) error {
		query := url.Values{}
		maps.Copy(query, r.query)
		query.Set("app_key", c["appKey"])
		query.Set("timestamp", strconv.FormatInt(s.now().Unix(), 10))
		if !r.account {
			query.Set("shop_cipher", c["shopCipher"])
		}
		query.Set("sign", sign(c["appSecret"], r.path, query, signed))
		out.URL.RawQuery = query.Encode()
		return nil
	})
	out, err := http.NewRequestWithContext(ctx, r.method, s.api+r.path, bytes.NewReader(content))
	if err != nil {
		return nil, connector.Failf(connector.Rejected, "TikTok Shop's address cannot be called")
	}
	out.Header.Set("Content-Type", contentType)
	out.Header.Set("x-tts-access-token", s.token)
	return s.link.Client.Call(out, func(answer *connector.Response) error { return s.read(answer, into) })
}

// envelope is the structure of every answer.
type envelope struct {
	Code    *int64          `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// tokenEnded are the codes of an expired token, which a new one may replace.
var tokenEnded = map[string]bool{"105001": true, "105002": true}

// kinds are the codes with a meaning beyond the refusal of one request.
var kinds = map[int64]connector.Kind{
	105001: connector.Unauthorized, 105002: connector.Unauthorized, // token unknown, ended
	106001: connector.Unauthorized, 36009004: connector.Unauthorized, // signature or clock
	105005: connector.Forbidden, 36009033: connector.Forbidden, // scope, address of the caller
	36009002: connector.Throttled, 36009003: connector.Temporary,
}

// read converts an answer to data or a failure. Refusals also have status 200.
func (s *session) read(answer *connector.Response, into any) error {
	if f := connector.GatewayPage(answer); f != nil {
		return f
	}
	var e envelope
	err := connector.DecodeAnswer(answer, &e)
	if err == nil && e.Code == nil {
		err = connector.Failf(connector.Temporary, "the answer is not TikTok Shop's: %s",
			connector.Line(string(answer.Body[:min(len(answer.Body), 2000)])))
	}
	if err != nil {
		if f := connector.HTTPFailure(answer, s.link.Now(), "", ""); f != nil {
			return f
		}
		return err
	}
	if *e.Code == 0 && answer.Status < 400 {
		if into == nil || len(e.Data) == 0 {
			return nil
		}
		if err := json.Unmarshal(e.Data, into); err != nil {
			return &connector.Failure{Kind: connector.Rejected, Message: "the answer is not what TikTok Shop documents", Err: err}
		}
		return nil
	}
	code := strconv.FormatInt(*e.Code, 10)
	f := connector.HTTPFailure(answer, s.link.Now(), code, e.Message)
	if f == nil {
		f = &connector.Failure{Kind: connector.Rejected, Code: code, Message: connector.Line(e.Message)}
	}
	if kind, known := kinds[*e.Code]; known {
		f.Kind = kind
	}
	f.After = answer.RetryAfter(s.link.Now())
	return f
}

// itemErrors are the refused items of a request about several, in an answer with code 0.
type itemErrors struct {
	Errors []struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
		Detail  struct {
			SKU   connector.ID `json:"sku_id"`
			Extra []struct {
				Code    int64  `json:"code"`
				Message string `json:"message"`
			} `json:"extra_errors"`
		} `json:"detail"`
	} `json:"errors"`
}

// of is why a SKU was refused: by the last refusal of it or of all.
func (list itemErrors) of(sku string) (text string, is bool) {
	for _, e := range list.Errors {
		if e.Detail.SKU != "" && string(e.Detail.SKU) != sku {
			continue
		}
		text, is = e.Message, true
		if len(e.Detail.Extra) > 0 {
			text = e.Detail.Extra[0].Message
		}
	}
	return connector.Line(text), is
}

// renew gets new tokens. The refresh token may be another one each time.
func (s *session) renew(ctx context.Context) error {
	fresh, err := s.link.RenewToken(ctx, s.token, connector.Renewal{
		Request: func(ctx context.Context, c connector.Credentials) (*http.Request, error) {
			query := url.Values{"app_key": {c["appKey"]}, "app_secret": {c["appSecret"]}, "refresh_token": {c["refreshToken"]},
				"grant_type": {"refresh_token"}}
			return http.NewRequestWithContext(ctx, http.MethodGet, s.auth+"/api/v2/token/refresh?"+query.Encode(), nil)
		},
		Read:    s.readTokens,
		Refused: refusedTokens,
	})
	if err == nil {
		s.take(fresh)
	}
	return err
}

const refusedTokens = "TikTok Shop refuses the refresh token or the app: the seller has to authorise it again"

func (s *session) readTokens(answer *connector.Response) (connector.Credentials, error) {
	var out struct {
		AccessToken  string          `json:"access_token"`
		RefreshToken string          `json:"refresh_token"`
		AccessEnds   json.RawMessage `json:"access_token_expire_in"` // whatever they are, the tokens are not lost
		RefreshEnds  json.RawMessage `json:"refresh_token_expire_in"`
	}
	if err := s.read(answer, &out); err != nil {
		if f := connector.FailureOf(err); f.Kind == connector.Rejected || f.Kind == connector.Forbidden {
			return nil, connector.Failf(connector.Unauthorized, refusedTokens)
		}
		return nil, err
	}
	change := connector.Credentials{connector.TokenField: out.AccessToken, connector.TokenUntil: ""}
	if at := s.ends(out.AccessEnds); !at.IsZero() {
		change[connector.TokenUntil] = connector.Until(at.Add(-tokenMargin))
	}
	if out.RefreshToken != "" {
		change[connector.RefreshField] = out.RefreshToken
	}
	if at := s.ends(out.RefreshEnds); !at.IsZero() {
		change[connector.UntilOf(connector.RefreshField)] = connector.Until(at)
	}
	return change, nil
}

// ends is when a token ends: TikTok Shop says the second since 1970, elsewhere it is how many seconds are left. The
// zero time for neither.
func (s *session) ends(of json.RawMessage) time.Time {
	n, err := strconv.ParseInt(strings.Trim(string(of), `"`), 10, 64)
	switch {
	case err != nil || n <= 0:
		return time.Time{}
	case n > 1_000_000_000:
		return time.Unix(n, 0)
	}
	return s.now().Add(time.Duration(n) * time.Second)
}
