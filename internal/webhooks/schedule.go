package webhooks

import "time"

// Schedule is how long a delivery waits after each failed attempt, counted from that attempt's end. There is one
// attempt more than there are waits.
type Schedule []time.Duration

// Standard is the schedule of interface §6.2: six attempts over 26 hours and 36 minutes.
var Standard = Schedule{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 24 * time.Hour}

// Next returns the wait after the given number of failed attempts; ok is false when that was the last attempt. An
// attempt requested by hand is not repeated.
func (s Schedule) Next(attempts int64, byHand bool) (wait time.Duration, ok bool) {
	if byHand || attempts > int64(len(s)) {
		return 0, false
	}
	return s[attempts-1], true
}

// Span is how long all waits take together.
func (s Schedule) Span() (all time.Duration) {
	for _, wait := range s {
		all += wait
	}
	return all
}
