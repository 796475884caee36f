package connector

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Action is the word in the answer for what was done (interface §6.3).
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

// The jobs that a notification can request. Both may run twice: platforms repeat notifications, and also send them
// for the service's own changes. So a stock push must compare before it writes, or both sides would notify each other
// forever.
const (
	OrderPull Job = "order_pull"
	StockPush Job = "stock_push"
)

// State is a state the channel enters (interface §3.2).
type State string

// The states that a notification can cause.
const (
	NeedsReauth State = "needs_reauth"
	Expiring    State = "expiring"
)

// Person is a person whose data must be erased. Fields that the platform did not give are empty.
type Person struct {
	ID       string // the platform's id
	Username string // the platform's user name
	Email    string
}

// Outcome is the meaning of a notification. Exactly one of Job, State, Erase and Reason is set, according to Action.
// Every string is valid UTF-8 without control characters and at most 255 bytes long; other values are left out.
type Outcome struct {
	DeliveryKey string // equal for repeated deliveries of a notification, 64 hex digits; "" if repetitions cannot be detected
	Topic       string // the platform's name of the event
	Action      Action
	Job         Job
	ExternalID  string  // the platform's id of the record that Job is about; "" = whatever changed
	State       State   // the channel's new state
	Erase       *Person // whose data must go
	Reason      string  // why it is ignored, for people
}

// About starts the outcome of an event. The other methods complete it.
func About(topic, deliveryKey string) Outcome {
	return Outcome{Topic: clean(topic), DeliveryKey: deliveryKey, Action: Ignored, Reason: "this event is not handled"}
}

// PullOrder requests the order with that external id, or all changed ones when it is "".
func (n Outcome) PullOrder(externalID string) Outcome {
	return n.queue(OrderPullQueued, OrderPull, externalID)
}

// PushStock requests a push of the stock of that external id, or of whatever differs when it is "".
func (n Outcome) PushStock(externalID string) Outcome {
	return n.queue(StockPushQueued, StockPush, externalID)
}

// Reauthorize means that the merchant withdrew the service's access.
func (n Outcome) Reauthorize() Outcome { return n.enter(BecameNeedsReauth, NeedsReauth) }

// Expire means that the service's access will end soon.
func (n Outcome) Expire() Outcome { return n.enter(BecameExpiring, Expiring) }

// EraseCustomer requests the erasure of a person's data; without anything that identifies the person it is ignored.
func (n Outcome) EraseCustomer(p Person) Outcome {
	p = Person{clean(p.ID), clean(p.Username), clean(p.Email)}
	if p == (Person{}) {
		return n.Ignore("it names nobody to erase")
	}
	return Outcome{DeliveryKey: n.DeliveryKey, Topic: n.Topic, Action: CustomerErasureQueued, Erase: &p}
}

// Ignore means that nothing is to be done, and why.
func (n Outcome) Ignore(reason string) Outcome {
	return Outcome{DeliveryKey: n.DeliveryKey, Topic: n.Topic, Action: Ignored, Reason: reason}
}

func (n Outcome) queue(a Action, j Job, externalID string) Outcome {
	return Outcome{DeliveryKey: n.DeliveryKey, Topic: n.Topic, Action: a, Job: j, ExternalID: clean(externalID)}
}

func (n Outcome) enter(a Action, s State) Outcome {
	return Outcome{DeliveryKey: n.DeliveryKey, Topic: n.Topic, Action: a, State: s}
}

// Key is the delivery key: 64 hex digits of a delivery's id and of anything else that differs between deliveries.
// Without an id there is no key.
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

// clean returns s if every store can hold it, else "".
func clean(s string) string {
	if len(s) > 255 || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return ""
	}
	return s
}
