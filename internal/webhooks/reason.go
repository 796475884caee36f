package webhooks

import (
	"slices"
	"strings"
)

// Reason is the outcome of an attempt as one word that programs may rely on (interface §2.7.10).
type Reason string

// The reasons.
const (
	ReasonDelivered   Reason = "delivered"
	ReasonRedirect    Reason = "redirect"
	ReasonClientError Reason = "client_error" // 4xx
	ReasonServerError Reason = "server_error" // 5xx
	ReasonOddAnswer   Reason = "odd_answer"   // any other status
	ReasonNoHost      Reason = "no_host"      // the name has no address
	ReasonNoConnect   Reason = "no_connection"
	ReasonTLS         Reason = "tls"
	ReasonTimeout     Reason = "timeout"
	ReasonBroken      Reason = "broken_connection"
	ReasonForbidden   Reason = "forbidden_address"
	ReasonExpired     Reason = "expired" // nothing was sent: the event's payload has been deleted after the retention
	ReasonUnsigned    Reason = "unsigned"
	// nothing was sent: the endpoint's maker may not read what the event is about
	ReasonUnreadable Reason = "unreadable"
)

// Reasons lists them.
var Reasons = []Reason{ReasonDelivered, ReasonRedirect, ReasonClientError, ReasonServerError, ReasonOddAnswer, ReasonNoHost,
	ReasonNoConnect, ReasonTLS, ReasonTimeout, ReasonBroken, ReasonForbidden, ReasonExpired, ReasonUnsigned, ReasonUnreadable}

// The errors of attempts in which nothing was sent.
const (
	ErrorExpired  = "the event is older than events are kept"
	ErrorUnsigned = "the signing secret cannot be decrypted with this node's master key"
	ErrorTimeout  = "no answer within 10 seconds"
	BlockedPrefix = "refused: " // followed by what is wrong with the address

	ErrorUnreadable = "the API key that made the endpoint may not read what this event is about"
)

// signs are parts of an attempt's error, each with its reason; the first that matches counts. TestReasons of package
// worker compares them with real failures.
var signs = []struct {
	part   string
	reason Reason
}{
	{BlockedPrefix, ReasonForbidden}, {ErrorExpired, ReasonExpired}, {ErrorUnsigned, ReasonUnsigned},
	{ErrorUnreadable, ReasonUnreadable},
	{"no such host", ReasonNoHost}, {"could not be resolved", ReasonNoHost},
	{"x509:", ReasonTLS}, {"tls:", ReasonTLS}, {"HTTP response to HTTPS client", ReasonTLS},
	{"no answer within", ReasonTimeout}, {"timed out", ReasonTimeout}, {"imeout", ReasonTimeout},
	{"dial: ", ReasonNoConnect}, {"connection refused", ReasonNoConnect}, {"unreachable", ReasonNoConnect},
}

// Reason returns the reason of the attempt's outcome.
func (a *Attempt) Reason() Reason {
	switch {
	case a.Answered():
		return ReasonDelivered
	case a.StatusCode >= 300 && a.StatusCode < 400:
		return ReasonRedirect
	case a.StatusCode >= 400 && a.StatusCode < 500:
		return ReasonClientError
	case a.StatusCode >= 500 && a.StatusCode < 600:
		return ReasonServerError
	case a.StatusCode != 0:
		return ReasonOddAnswer
	}
	if i := slices.IndexFunc(signs, func(s struct {
		part   string
		reason Reason
	}) bool {
		return strings.Contains(a.Error, s.part)
	}); i >= 0 {
		return signs[i].reason
	}
	return ReasonBroken
}

// Explanation is a reason in words: what happened, and what the endpoint's owner can do about it.
type Explanation struct{ What, Advice string }

// explanations have an entry for every reason.
var explanations = map[Reason]Explanation{
	ReasonDelivered: {"Your endpoint took the event.", "Anything from 200 to 299 within 10 seconds counts as delivered."},
	ReasonRedirect: {"Your endpoint answered with a redirect.",
		"Redirects are not followed: enter the final address as the endpoint's URL."},
	ReasonClientError: {"Your endpoint refused the event.",
		"It is reachable, so the network is fine. A 401 or 403 often means that the signature was checked with another secret, " +
			"a 404 or 405 that the path or the method is not the one it listens to."},
	ReasonServerError: {"Your endpoint failed while it handled the event.",
		"It is reachable, so the network is fine: look into its own log. Anything from 200 to 299 within 10 seconds counts as delivered."},
	ReasonOddAnswer: {"Your endpoint answered with a status that is neither success nor failure.",
		"Answer with 200 to 299 once the event is stored."},
	ReasonNoHost: {"The name of your endpoint has no address.",
		"Check the spelling of the URL, and the DNS records of the domain."},
	ReasonNoConnect: {"Your endpoint did not accept the connection.",
		"Nothing listens at this address and port, or a firewall is in between."},
	ReasonTLS: {"No secure connection was possible.",
		"The certificate must be valid for this host, not be expired, and come with its intermediate certificates."},
	ReasonTimeout: {"Your endpoint did not answer within 10 seconds.",
		"Store the event, answer at once, and do the work afterwards."},
	ReasonBroken: {"The connection ended before there was an answer.",
		"A proxy or the server itself closed it: look into their logs at this time."},
	ReasonForbidden: {"The address of your endpoint is not allowed.",
		"Endpoints must be reachable on the public internet: private, local and reserved addresses are refused."},
	ReasonExpired: {"Nothing was sent: the event is older than events are kept.", "Read the records themselves instead."},
	ReasonUnsigned: {"Nothing was sent: the signing secret could not be read.",
		"The service's operator must start this node with the right master key."},
	ReasonUnreadable: {"Nothing was sent: the API key that made the endpoint may not read what this event is about.",
		"Somebody who may read it can choose the endpoint's address or events again, and then retry this delivery."},
}

// Explain explains the reason in sentences.
func (r Reason) Explain() Explanation { return explanations[r] }
