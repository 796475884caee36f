// Package connector is the contract between the service and the platforms (interface §1, §5.3, §6.3).
//
// The types:
//   - a Connector translates for one platform; each has its own folder, and none uses SQL or stores jobs;
//   - a Profile has the platform's names and the credential fields of its channels;
//   - a Channel is one shop or seller account, with decrypted credentials;
//   - a Notification is a platform's request, byte for byte;
//   - an Outcome is its meaning for the service: a job to queue, a state of the channel, or why it is ignored;
//   - a Set is the connectors of a running service, listed by hand in package server.
//
// A notification is handled by IsPing, Verify and Read, in this order. Errors are apperr.Error, whose kind determines
// the answer to the platform.
package connector

import (
	"context"
	"net/http"
	"net/url"
)

// Connector translates the notifications of one platform. It is safe for concurrent use.
type Connector interface {
	// Profile has the platform's names and the credential fields of its channels.
	Profile() Profile

	// Verify checks that the channel's platform sent exactly these bytes (interface §5.3). Errors: Unauthorized for a
	// wrong, missing or repeated signature of TikTok Shop, Invalid for the other platforms; Unavailable when the check
	// could not be made, which does not mean that the signature is wrong.
	Verify(ctx context.Context, ch Channel, n Notification) error

	// Read returns the meaning of a verified notification (interface §6.3). It calls nothing. Errors: Invalid when the
	// body is not a JSON object, or names another seller where that is forbidden.
	Read(ch Channel, n Notification) (Outcome, error)
}

// Challenger is a Connector whose platform first requires proof that the address is the service's (interface §4.5).
type Challenger interface {
	// Challenge returns the JSON that answers the handshake, to be sent with status 200.
	// publicBase is the service's public address, without a path.
	// Errors: Invalid when the code is missing or the channel lacks the token to answer with.
	Challenge(ch Channel, publicBase string, query url.Values) ([]byte, error)
}

// Pinger is a Connector whose platform tests the address with unsigned requests.
type Pinger interface {
	// Ping reports whether the notification is such a test: it must have no effect.
	Ping(n Notification) bool
}

// IsPing reports whether n is an unsigned test of c's platform. It is answered 200 {received, ignored}, without effect
// and before the signature is checked.
func IsPing(c Connector, n Notification) bool {
	p, ok := c.(Pinger)
	return ok && p.Ping(n)
}

// Credentials are the values a channel was given, by field name (Profile.Fields).
type Credentials map[string]string

// Channel is one shop or seller account on a platform.
type Channel struct {
	ID          string // public id of the channel
	Platform    string // Profile.Platform
	Credentials Credentials
	Settings    map[string]string
	Account     string // Shop.Account of the last test with these credentials, "" before; only set for notifications
}

// Value returns the credential of that name, else the setting, else "".
func (c Channel) Value(name string) string {
	if v := c.Credentials[name]; v != "" {
		return v
	}
	return c.Settings[name]
}

// Notification is one request of a platform as it arrived. Body is raw: signatures cover these very bytes.
type Notification struct {
	Header http.Header
	Body   []byte
}
