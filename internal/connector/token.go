package connector

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// TokenField is the credential with a channel's access token, and TokenUntil the one with the time from which it must
// be renewed, where the platform says how long it lives.
const (
	TokenField = "accessToken"
	TokenUntil = "accessTokenUntil"

	RefreshField = "refreshToken" // with which a new one is requested, where the platform gives one for that
)

// DropToken deletes the access token that was issued for other credentials than these, if another one can be had.
func (p Profile) DropToken(c Credentials) {
	without := maps.Clone(c)
	delete(without, TokenField)
	delete(without, TokenUntil)
	if !slices.ContainsFunc(p.Fields, func(f Field) bool { return f.Name == TokenField && f.missing(without) }) {
		maps.DeleteFunc(c, func(name, _ string) bool { _, stays := without[name]; return !stays })
	}
}

// Renewal is how a platform issues a new access token.
type Renewal struct {
	// Request builds the request from the credentials stored when it is sent.
	Request func(context.Context, Credentials) (*http.Request, error)
	// Read returns the changed credentials, TokenField among them; nil means OAuth's form (OAuthToken).
	Read func(*Response) (Credentials, error)
	// Refused is the message for the merchant when the platform refuses to issue a token.
	Refused string
}

// RenewToken replaces the access token that the platform refused, and returns all credentials with the new one. Only
// one of all sessions of a channel, on any node, requests it; the token is stored before any of them uses it (see
// Tokens). Errors: Failure Unauthorized when the platform refuses, which makes the channel needs_reauth.
func (l Link) RenewToken(ctx context.Context, stale string, how Renewal) (Credentials, error) {
	return l.Tokens.Renew(ctx, TokenField, stale, func(ctx context.Context, c Credentials) (Credentials, error) {
		r, err := how.Request(ctx, c)
		if err != nil {
			// Its text may contain secrets.
			return nil, &Failure{Kind: Rejected, Message: "the address that gives access tokens cannot be called"}
		}
		var change Credentials
		_, err = l.Client.Call(r.WithContext(withSecrets(r.Context())), func(answer *Response) (err error) {
			change, err = l.readTokens(answer, how)
			return err
		})
		return change, err
	})
}

// readTokens converts the answer to a request for tokens.
func (l Link) readTokens(answer *Response, how Renewal) (Credentials, error) {
	if f := GatewayPage(answer); f != nil {
		return nil, f
	}
	if f := HTTPFailure(answer, l.Now(), "", ""); f != nil {
		switch f.Kind {
		case Rejected, Unauthorized:
			f.Kind, f.Message = Unauthorized, how.Refused
		case Forbidden:
			f.Message = how.Refused
		}
		return nil, f
	}
	read := how.Read
	if read == nil {
		read = OAuthToken
	}
	change, err := read(answer)
	switch f := FailureOf(err); {
	case f == nil && change[TokenField] == "": // of a gateway, say: who refuses does so in words
		return nil, Failf(Temporary, noToken)
	case f == nil:
		return change, nil
	case f.Kind == Unauthorized:
		f.Message = how.Refused
		return nil, f
	default:
		f.Message, f.Err = noToken, nil
		return nil, f
	}
}

// noToken is the message for an answer without a token. The answer is not quoted: it may have been cut off within
// one.
const noToken = "the answer to the request for an access token has none"

// OAuthToken reads the answer of an OAuth token endpoint (RFC 6749 §5.1). A refresh token in it replaces the old one.
// An error in an answer with status 200 is a refusal, too.
func OAuthToken(answer *Response) (Credentials, error) {
	var out struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
		Error        ID     `json:"error"`
	}
	if err := DecodeAnswer(answer, &out); err != nil {
		return nil, err
	}
	if out.Error != "" {
		return nil, &Failure{Kind: Unauthorized} // its words may be those that were sent, secrets among them
	}
	change := Credentials{TokenField: out.AccessToken}
	if out.RefreshToken != "" {
		change[RefreshField] = out.RefreshToken
	}
	return change, nil
}

// TokenForm is a request of an OAuth token endpoint. It may be repeated when its answer is lost.
func TokenForm(ctx context.Context, address string, form url.Values) (*http.Request, error) {
	r, err := http.NewRequestWithContext(Repeatable(ctx), http.MethodPost, address, strings.NewReader(form.Encode()))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r, err
}
