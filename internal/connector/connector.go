// Package connector is the contract between the service and the platforms it sells on (interface §1, §5.3, §6.3).
//
// Who is who:
//   - a Connector translates for one platform; each lives in its own folder, and none does SQL or keeps a job;
//   - a Profile says what the platform is called and which credentials a channel of it carries;
//   - a Channel is one shop or seller account, with its credentials in the clear;
//   - a Notification is what arrived from the platform, byte for byte;
//   - a Outcome is what it means here: what to queue, which state the channel enters, or why it is ignored;
//   - a Set is the list of connectors of a running service, written out by hand in its command.
//
// Order of use for a notification: IsPing, Verify, Read. What goes wrong on the way is an error.Error whose kind is
// already the answer the platform gets.
package connector

import (
	"context"
	"net/http"
	"net/url"
)

// Connector translates the notifications of one platform. It is safe for concurrent use.
type Connector interface {
	// Profile says what the platform is called and what its channels carry.
	Profile() Profile

	// Verify checks that the channel's platform sent these very bytes (interface §5.3).
	// Errors: a wrong, missing or repeated signature is Unauthorized on the short-video shop and Invalid elsewhere;
	// Unavailable when the check itself could not be made, which says nothing about the signature.
	Verify(ctx context.Context, ch Channel, n Notification) error

	// Read says what a verified notification means (interface §6.3). It reads nothing else.
	// Errors: Invalid when the body is not a JSON object, or names another seller where that is forbidden.
	Read(ch Channel, n Notification) (Outcome, error)
}

// Challenger is a Connector whose platform first asks for proof that the address is ours (interface §4.5).
type Challenger interface {
	// Challenge returns the JSON that answers the handshake, to be sent with status 200.
	// publicBase is the service's public address, without a path.
	// Errors: Invalid when the code is missing or the channel lacks the token to answer with.
	Challenge(ch Channel, publicBase string, query url.Values) ([]byte, error)
}

// Pinger is a Connector whose platform probes the address with unsigned requests.
type Pinger interface {
	// Ping reports whether the notification is such a probe: nothing in it may have an effect.
	Ping(n Notification) bool
}

// IsPing reports whether n is an unsigned probe of c's platform. It is answered 200 {received, ignored}, without effect
// and before the signature is looked for.
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
