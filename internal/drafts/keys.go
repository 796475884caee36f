package drafts

import (
	"strconv"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
)

// ReadKey reads a new API key (interface §4.5.8).
func ReadKey(o *apijson.Object) commerce.KeyDraft {
	o.Record("CreateApiKey")
	draft := commerce.KeyDraft{
		Name:      o.Text("name", apijson.Text{Required: true, Max: limits.MaxName}).Value,
		Scopes:    o.Texts("scopes", true, 100, apijson.Text{Max: 40}).Value,
		ExpiresAt: o.Time("expiresAt", false).Value,
	}
	o.Describe("scopes", apijson.SomeOf(accounts.AllScopes...))
	if problem := accounts.BadScopes(draft.Scopes); problem != "" && !o.Describing() && len(o.Errors()) == 0 {
		o.AddError("scopes", "%s", problem)
	}
	return draft
}

// ReadAdvance reads by how much: seconds, or a duration such as "30m" or "24h".
func ReadAdvance(o *apijson.Object) time.Duration {
	o.Record("MoveClock")
	f := o.TextOrNumber("advance")
	if o.Describing() || len(o.Errors()) > 0 {
		return 0
	}
	by, err := time.ParseDuration(f)
	if seconds, bad := strconv.ParseFloat(f, 64); bad == nil {
		by, err = time.Duration(min(max(seconds, -1), limits.MaxAdvance.Seconds()+1)*float64(time.Second)), nil
	}
	if err != nil || by <= 0 || by > limits.MaxAdvance {
		o.AddError("advance", "must be seconds, or a span such as \"30m\" or \"24h\", up to a year")
	}
	return by
}
