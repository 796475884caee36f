package connector

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Action is the word by which the answer says what was done (interface §6.3).
type Action string

// The actions.
const (
	OrderPullQueued       Action = "pull_orders_queued"
	StockPushQueued       Action = "stock_propagation_queued"
	BecameNeedsReauth     Action = "needs_reauth"
	BecameExpiring        Action = "expiring"
	CustomerErasureQueued Action = "customer_erasure_queued"
	Ignored               Action = "ignored"
)

// Job is the type of the job to queue.
type Job string

// The jobs a notification can ask for. Both are idempotent: platforms repeat themselves, and they echo what we push,
// so a stock push must compare before it writes, or the two sides would call each other for ever.
const (
	OrderPull Job = "order_pull"
	StockPush Job = "stock_push"
)

// State is a state the channel enters (interface §3.2).
type State string

// The states a notification can bring about.
const (
	NeedsReauth State = "needs_reauth"
	Expiring    State = "expiring"
)

// Person is a person whose data must go. Fields the platform did not give are empty.
type Person struct {
	ID       string // the platform's id
	Username string // the platform's user name
	Email    string
}

// Outcome is what a notification means. Exactly one of Job, State, Erase and Reason is set, as Action says.
// Every string is valid UTF-8 without control characters and at most 255 bytes long; a value that is not is left out.
type Outcome struct {
	DeliveryKey string // equal for deliveries of one notification, 64 hex digits; "" when duplicates cannot be found out
	Topic       string // the platform's name of the event
	Action      Action
	Job         Job
	ExternalID  string  // what Job is about, as the platform names it; "" = whatever changed
	State       State   // what the channel becomes
	Erase       *Person // whose data must go
	Reason      string  // why it is ignored, for people
}

// About starts the notice of an event. The other methods finish it.
func About(topic, deliveryKey string) Outcome {
	return Outcome{Topic: clean(topic), DeliveryKey: deliveryKey, Action: Ignored, Reason: "this event is not handled"}
}

// PullOrder asks for the order of that external id, or for all changed ones when it is "".
func (n Outcome) PullOrder(externalID string) Outcome {
	return n.queue(OrderPullQueued, OrderPull, externalID)
}

// PushStock asks for our stock of that external id to be sent, or of whatever differs when it is "".
func (n Outcome) PushStock(externalID string) Outcome {
	return n.queue(StockPushQueued, StockPush, externalID)
}

// Reauthorize says that the merchant withdrew our access.
func (n Outcome) Reauthorize() Outcome { return n.enter(BecameNeedsReauth, NeedsReauth) }

// Expire says that our access will end soon.
func (n Outcome) Expire() Outcome { return n.enter(BecameExpiring, Expiring) }

// EraseCustomer asks for a person's data to be erased; without anything that identifies the person it is ignored.
func (n Outcome) EraseCustomer(p Person) Outcome {
	p = Person{clean(p.ID), clean(p.Username), clean(p.Email)}
	if p == (Person{}) {
		return n.Ignore("it names nobody to erase")
	}
	return Outcome{DeliveryKey: n.DeliveryKey, Topic: n.Topic, Action: CustomerErasureQueued, Erase: &p}
}

// Ignore says that nothing is to be done, and why.
func (n Outcome) Ignore(reason string) Outcome {
	return Outcome{DeliveryKey: n.DeliveryKey, Topic: n.Topic, Action: Ignored, Reason: reason}
}

func (n Outcome) queue(a Action, j Job, externalID string) Outcome {
	return Outcome{DeliveryKey: n.DeliveryKey, Topic: n.Topic, Action: a, Job: j, ExternalID: clean(externalID)}
}

func (n Outcome) enter(a Action, s State) Outcome {
	return Outcome{DeliveryKey: n.DeliveryKey, Topic: n.Topic, Action: a, State: s}
}

// Key makes a delivery key of a delivery's id and of what else differs between deliveries: 64 hex digits whatever the
// platform sends. Without an id there is no key.
func Key(id string, more ...string) string {
	if id == "" {
		return ""
	}
	h := sha256.New()
	for _, part := range append([]string{id}, more...) {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part))) // the length keeps "ab","c" apart from "a","bc"
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// clean returns s if every store can keep it, else "".
func clean(s string) string {
	if len(s) > 255 || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return ""
	}
	return s
}
