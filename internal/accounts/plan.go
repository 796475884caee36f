package accounts

import "entrepot/internal/limits"

// Plan is the plan that an account has bought; it sets the rate limits (interface §8).
type Plan string

// The plans.
const (
	Starter    Plan = "starter"
	Pro        Plan = "pro"
	Enterprise Plan = "enterprise"
)

// Plans lists them, smallest first.
var Plans = []Plan{Starter, Pro, Enterprise}

var planRates = map[Plan]limits.Rate{
	Starter:    {PerMinute: 100, Burst: 20},
	Pro:        {PerMinute: 500, Burst: 100},
	Enterprise: {PerMinute: 2000, Burst: 400},
}

// Rate is the rate limit of each key or user of an account.
func (p Plan) Rate() limits.Rate { return planRates[p] }

// UnchangedRate limits requests with If-None-Match: ten times the plan's rate. Those beyond it are counted like any
// other.
func (p Plan) UnchangedRate() limits.Rate {
	return limits.Rate{Name: "unchanged", PerMinute: 10 * p.Rate().PerMinute}
}
