package connector

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what a failure means for the frame around a session.
type Kind string

// The kinds.
const (
	Temporary    Kind = "unreachable"  // no answer, or one that promises a better time; a write may have happened
	Throttled    Kind = "throttled"    // refused for now without any effect
	Unauthorized Kind = "unauthorized" // the credentials are refused: the channel becomes needs_reauth
	Forbidden    Kind = "forbidden"    // the credentials are good, but lack a right
	Refused      Kind = "refused"      // the address must not be called (interface §6.2)
	Rejected     Kind = "rejected"     // understood and refused: trying again is useless
	Missing      Kind = "missing"      // the platform does not have it
	Cannot       Kind = "unsupported"  // the platform has no such thing: a clean skip
	Underway     Kind = "underway"     // the platform works on it: the same call some time later says what became of it
)

// Failure is why a call of a platform did not do what it should. Message is for the merchant: what happened and, if possible, what
// to do. It carries no credentials, no personal data and at most a line of what the platform said.
type Failure struct {
	Kind    Kind
	Code    string // the platform's word for it, "" for none
	Message string
	After   time.Duration // of Throttled and Temporary: how long to stay away, 0 for the frame's own back-off
	Err     error         // for the log
}

func (f *Failure) Error() string {
	if f.Code != "" {
		return fmt.Sprintf("%s (%s)", f.Message, f.Code)
	}
	return f.Message
}

func (f *Failure) Unwrap() error { return f.Err }

// Failf makes a failure.
func Failf(kind Kind, format string, args ...any) *Failure {
	return &Failure{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// FailureOf is the failure in an error. One that no session made is Temporary and shows nothing of itself.
func FailureOf(err error) *Failure {
	var f *Failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	}
	return &Failure{Kind: Temporary, Message: "the call did not end", Err: err}
}

// Is reports whether an error is a failure of a kind.
func Is(err error, kind Kind) bool {
	var f *Failure
	return errors.As(err, &f) && f.Kind == kind
}

// Lasting reports whether trying the same again later could help.
func (f *Failure) Lasting() bool { return f.Kind != Temporary && f.Kind != Throttled }
