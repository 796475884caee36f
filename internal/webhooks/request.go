package webhooks

import (
	"strconv"
	"time"

	"entrepot/internal/base/id"
)

// Header is one header of a request.
type Header struct{ Name, Value string }

// Sent is an attempt's request without its body.
type Sent struct {
	Event   id.Event
	Name    string // of the event
	At      time.Time
	Number  int64 // from 1
	Version string
}

// Headers are the headers of an attempt, without signatures, with names as interface §6.1 spells them.
func (s Sent) Headers() []Header {
	seconds := s.Seconds()
	return []Header{
		{"Content-Type", "application/json"},
		{"User-Agent", "entrepot/" + s.Version},
		{"X-Webhook-Id", string(s.Event)},
		{"X-Webhook-Event", s.Name},
		{"X-Webhook-Timestamp", seconds},
		{"X-Webhook-Attempt", strconv.FormatInt(s.Number, 10)},
		{"webhook-id", string(s.Event)},
		{"webhook-timestamp", seconds},
	}
}

// Seconds is the attempt's time in the form of its headers.
func (s Sent) Seconds() string { return strconv.FormatInt(s.At.Unix(), 10) }

// shownSignature is how many characters of a signature are shown: enough to compare it with another, too few to send
// it.
const shownSignature = 12

// Shown are the headers of an attempt for people to read, with the first characters of both signatures. It uses the
// endpoint's present secret and the body that would be sent now.
func (s Sent) Shown(secret Secret, body string) []Header {
	standard := secret.SignStandard(string(s.Event), s.Seconds(), []byte(body))
	return append(s.Headers(), Header{"X-Webhook-Signature", secret.Sign([]byte(body))[:shownSignature] + "…"},
		Header{"webhook-signature", standard[:shownSignature] + "…"})
}
