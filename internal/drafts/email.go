package drafts

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/patch"
	"entrepot/internal/limits"
)

// readEmail reads an e-mail address.
func readEmail(o *apijson.Object, name string, rule apijson.Text) patch.Field[string] {
	rule.Max, rule.Format = limits.MaxEmail, "email"
	f := o.Text(name, rule)
	if f.Given() && !o.Describing() && f.Value != "" {
		if problem := limits.BadEmail(f.Value); problem != "" {
			o.AddError(name, "%s", problem)
		}
	}
	return f
}
