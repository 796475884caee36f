package drafts

import (
	"slices"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/regional"
)

// readZone reads the name of a time zone, nil if none is given; null and "" are "",
// unless it must be filled.
func readZone(o *apijson.Object, filled bool) *string {
	zone := o.Text("timeZone", apijson.Text{Filled: filled, Max: regional.MaxZone})
	if !zone.Set {
		return nil
	}
	if _, ok := regional.Zone(zone.Value); !ok && !o.HasError("timeZone") {
		o.AddError("timeZone", "must be the name of a time zone such as Europe/Paris")
	}
	return &zone.Value
}

// readLocale reads a locale and normalises its spelling, nil if none is given; null and "" are "".
func readLocale(o *apijson.Object) *string {
	given := o.Text("locale", apijson.Text{Max: regional.MaxLocale})
	if !given.Set {
		return nil
	}
	locale, ok := regional.Locale(given.Value)
	if !ok && given.Value != "" {
		o.AddError("locale", "must be a language and a region such as fr-FR")
	}
	return &locale
}

// readLanguage reads a language of the dashboard, nil if none is given; null and "" are "".
func readLanguage(o *apijson.Object) *string {
	given := o.Text("language", apijson.Text{Max: 2, Keep: true})
	o.Describe("language", func(s *apijson.Schema) {
		s.Enum = []any{"", nil}
		for _, code := range regional.Languages {
			s.Enum = append(s.Enum, code)
		}
	})
	if !given.Set {
		return nil
	}
	if given.Value != "" && !slices.Contains(regional.Languages, given.Value) && !o.HasError("language") {
		o.AddError("language", "must be one of %s", strings.Join(regional.Languages, ", "))
	}
	return &given.Value
}
