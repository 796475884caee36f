package shopify

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// apiVersion is the version that queries.go is written for. Shopify keeps each for a year.
const apiVersion = "2026-10"

// session is one shop, ready to be called.
type session struct {
	connector.Unsupported
	link  connector.Link
	base  string // "" if the channel names no domain of Shopify's
	token string
	shop  *shop
	ahead map[string]*shipping // orders that were read before they are changed
}

// Open makes a session for one channel.
func (*Connector) Open(l connector.Link) connector.Session {
	base := l.Channel.Value("baseUrl")
	if domain := shopDomain(l.Channel.Value("shop")); base == "" && domain != "" {
		base = "https://" + domain
	}
	return &session{link: l, base: strings.TrimRight(base, "/"), token: l.Channel.Value(connector.TokenField)}
}

type vars map[string]any

// call sends a query to the shop and decodes the data of its answer. A mutation may be repeated: if a repetition would
// apply twice, the caller checks first, or sends a key.
func (s *session) call(ctx context.Context, query string, v vars, into any) (*connector.Response, error) {
	answer, err := s.attempt(ctx, query, v, into)
	if connector.Is(err, connector.Unauthorized) && s.renews() {
		if err := s.renew(ctx); err != nil {
			return nil, err
		}
		answer, err = s.attempt(ctx, query, v, into)
	}
	return answer, err
}

func (s *session) attempt(ctx context.Context, query string, v vars, into any) (*connector.Response, error) {
	if s.base == "" {
		return nil, connector.Failf(connector.Forbidden, "the channel's shop is no domain of Shopify's: enter the one that ends with %s, not "+
			"the one that buyers see", suffix)
	}
	if s.token == "" {
		if !s.renews() {
			return nil, connector.Failf(connector.Unauthorized, "the channel has neither an access token nor a client id with its secret")
		}
		if err := s.renew(ctx); err != nil {
			return nil, err
		}
	}
	r, err := connector.JSONRequest(ctx, http.MethodPost, s.base+"/admin/api/"+apiVersion+"/graphql.json",
		map[string]any{"query": query, "variables": v})
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-Shopify-Access-Token", s.token)
	return s.link.Client.Call(r, func(answer *connector.Response) error { return s.read(answer, into) })
}

// reading is a context for queries, which may be repeated when their answer is lost.
func reading(ctx context.Context) context.Context { return connector.Repeatable(ctx) }

// envelope is an answer: data, errors, and what it cost.
type envelope struct {
	Data       json.RawMessage
	Errors     []problem
	Extensions struct {
		Cost struct {
			RequestedQueryCost float64
			ThrottleStatus     struct{ CurrentlyAvailable, RestoreRate float64 }
		}
	}
}

// problem is one error of an answer. Path leads to the field that it is about.
type problem struct {
	Message    string
	Path       []any
	Extensions struct{ Code string }
}

// personal are the fields with data of buyers. Of an app that Shopify has not approved for such data they are null,
// each with an error.
var personal = []string{"customer", "email", "phone", "note", "shippingAddress", "billingAddress"}

// masked reports whether the error says only that data of a buyer is left out.
func (p problem) masked() bool {
	return p.Extensions.Code == accessDenied && slices.ContainsFunc(p.Path, func(step any) bool {
		name, ok := step.(string)
		return ok && slices.Contains(personal, name)
	})
}

// accessDenied is the code of an answer for a missing scope.
const accessDenied = "ACCESS_DENIED"

// errTooDear is the refusal of a query whose possible cost exceeds the limit of a query.
var errTooDear = &connector.Failure{Kind: connector.Rejected, Code: "MAX_COST_EXCEEDED", Message: "the query asks for too much at once"}

// read converts an answer to data or a failure. Shopify also refuses with status 200.
func (s *session) read(answer *connector.Response, into any) error {
	if f := connector.GatewayPage(answer); f != nil { // it says nothing of the token
		return f
	}
	switch answer.Status {
	case http.StatusPaymentRequired:
		return connector.Failf(connector.Forbidden, "the shop is frozen: its owner has to settle with Shopify")
	case http.StatusLocked:
		return connector.Failf(connector.Forbidden, "the shop is locked")
	case http.StatusNotFound, http.StatusGone: // what a shop does not have is null in an answer
		return connector.Failf(connector.Forbidden, "there is no shop at this address: it was closed, or its address is another one")
	case http.StatusForbidden:
		return connector.Failf(connector.Unauthorized, "the shop refuses the token")
	}
	if f := connector.HTTPFailure(answer, s.link.Now(), "", ""); f != nil {
		return f
	}
	var e envelope
	if err := connector.DecodeAnswer(answer, &e); err != nil {
		return err
	}
	none := len(e.Data) == 0 || string(e.Data) == "null"
	if none && len(e.Errors) == 0 {
		return connector.Failf(connector.Temporary, "the answer is not Shopify's: %s",
			connector.Line(string(answer.Body[:min(len(answer.Body), 2000)])))
	}
	if !none {
		e.Errors = slices.DeleteFunc(e.Errors, problem.masked)
	}
	for _, one := range e.Errors {
		switch one.Extensions.Code {
		case "THROTTLED":
			cost := e.Extensions.Cost
			wait := time.Second
			if rate := cost.ThrottleStatus.RestoreRate; rate > 0 {
				wait = max(wait, time.Duration((cost.RequestedQueryCost-cost.ThrottleStatus.CurrentlyAvailable)/rate*float64(time.Second)))
			}
			return &connector.Failure{Kind: connector.Throttled, Message: "the shop's points are spent", After: min(wait, time.Minute)}
		case "MAX_COST_EXCEEDED":
			return errTooDear
		case accessDenied:
			return &connector.Failure{Kind: connector.Forbidden, Code: one.Extensions.Code, Message: connector.Line(one.Message)}
		case "INTERNAL_SERVER_ERROR":
			return &connector.Failure{Kind: connector.Temporary, Code: one.Extensions.Code, Message: connector.Line(one.Message)}
		}
	}
	if len(e.Errors) > 0 && none {
		return &connector.Failure{Kind: connector.Rejected, Code: e.Errors[0].Extensions.Code, Message: connector.Line(e.Errors[0].Message)}
	}
	if err := json.Unmarshal(e.Data, into); err != nil {
		return &connector.Failure{Kind: connector.Rejected, Message: "the answer is not what Shopify documents", Err: err}
	}
	return nil
}

// userErrors are the errors of a mutation.
type userErrors []struct {
	Field   []string
	Message string
	Code    string
}

// err is the first refusal, nil for none.
func (e userErrors) err() error {
	if len(e) == 0 {
		return nil
	}
	return &connector.Failure{Kind: connector.Rejected, Code: e[0].Code, Message: connector.Line(e[0].Message)}
}

// renews reports whether the channel can get a new token by itself.
func (s *session) renews() bool {
	return s.link.Channel.Value("clientId") != "" && s.link.Channel.Value("clientSecret") != "" && s.link.Tokens != nil
}

// renew gets a token for an app of the shop's own organisation: it is valid for a day and has no refresh token.
func (s *session) renew(ctx context.Context) error {
	fresh, err := s.link.RenewToken(ctx, s.token, connector.Renewal{
		Request: func(ctx context.Context, c connector.Credentials) (*http.Request, error) {
			return connector.TokenForm(ctx, s.base+"/admin/oauth/access_token",
				url.Values{"grant_type": {"client_credentials"}, "client_id": {c["clientId"]}, "client_secret": {c["clientSecret"]}})
		},
		Refused: "the shop refuses the client id or its secret",
	})
	if err == nil {
		s.token = fresh[connector.TokenField]
	}
	return err
}

type pageInfo struct {
	HasNextPage bool
	EndCursor   string
}
