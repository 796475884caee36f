package connector

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Kind says how the worker treats a failure of a session.
type Kind string

// The kinds.
const (
	Temporary    Kind = "unreachable"  // no answer, or an error that may pass; a write may have happened
	Throttled    Kind = "throttled"    // refused for now, without any effect
	Unauthorized Kind = "unauthorized" // the credentials are refused: the channel becomes needs_reauth
	Forbidden    Kind = "forbidden"    // the credentials are valid, but lack a right
	Refused      Kind = "refused"      // the address must not be called (interface §6.2)
	Rejected     Kind = "rejected"     // understood and refused: another try is useless
	Missing      Kind = "missing"      // the platform does not have it
	Cannot       Kind = "unsupported"  // the platform has no such feature: it is skipped
	Underway     Kind = "underway"     // the platform is processing it: a later call returns the result
)

// Failure is why a call of a platform failed. Message is for the merchant: what happened and, if possible, what to do.
// It contains no credentials, no personal data and at most one line of the platform's text.
type Failure struct {
	Kind    Kind
	Code    string // the platform's error code, "" for none
	Message string
	After   time.Duration // for Throttled and Temporary: how long to wait, 0 for the worker's own back-off
	Share   bool          // for Throttled: only this job's kind of request is refused, and the channel's other jobs may go on
	Err     error         // for the log
}

func (f *Failure) Error() string {
	if f.Code != "" {
		return fmt.Sprintf("%s (%s)", f.Message, f.Code)
	}
	return f.Message
}

func (f *Failure) Unwrap() error { return f.Err }

// Failf returns a failure with a formatted message.
func Failf(kind Kind, format string, args ...any) *Failure {
	return &Failure{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// FailureOf returns the failure in an error. An error that no session returned becomes Temporary, and its text is not
// shown.
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

// Is reports whether an error is a failure of one of some kinds.
func Is(err error, kinds ...Kind) bool {
	var f *Failure
	return errors.As(err, &f) && slices.Contains(kinds, f.Kind)
}

// Lasting reports whether the same call would fail later too.
func (f *Failure) Lasting() bool { return f.Kind != Temporary && f.Kind != Throttled }
