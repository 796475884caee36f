package webhooks

import "time"

// Schedule is how long a delivery waits after each failed attempt, counted from that attempt's end. It gives one attempt
// more than it has waits.
type Schedule []time.Duration

// Standard is the schedule of interface §6.2: six attempts over 26 hours and 36 minutes.
var Standard = Schedule{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 24 * time.Hour}

// Next says how long to wait after the given number of attempts have failed; ok is false when that was the last. An attempt
// asked for by hand stands alone.
func (s Schedule) Next(attempts int64, byHand bool) (wait time.Duration, ok bool) {
	if byHand || attempts > int64(len(s)) {
		return 0, false
	}
	return s[attempts-1], true
}
