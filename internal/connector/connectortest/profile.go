package connectortest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
)

func (s Suite) profile(t *testing.T) {
	p := s.Connector.Profile()
	for _, name := range append([]string{p.Slug}, p.Aliases...) {
		if name == "" || name != strings.ToLower(name) {
			t.Errorf("the segment %q is not lower case", name)
		}
	}
	if p.Platform == "" || p.Platform != strings.ToUpper(p.Platform) || p.Platform != s.Channel.Platform {
		t.Errorf("platform %q, the channel's is %q", p.Platform, s.Channel.Platform)
	}
	if !slices.Contains([]connector.Webhooks{connector.Registered, connector.Pasted, connector.Relayed}, p.Webhooks) {
		t.Errorf("webhooks = %q", p.Webhooks)
	}
	if (p.Webhooks == connector.Pasted || p.Webhooks == connector.Relayed) && p.ByHand == "" {
		t.Error("nothing says what the merchant does for notifications")
	}
	if _, err := connector.NewSet(s.Connector); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for _, f := range p.Known() {
		if f.Name == "" || f.Note == "" || seen[f.Name] {
			t.Errorf("field %+v has no name, no note, or is there twice", f)
		}
		seen[f.Name] = true
	}
	if !seen["baseUrl"] {
		t.Error("baseUrl is not known")
	}
	s.credentials(t, p)
}

func (s Suite) credentials(t *testing.T, p connector.Profile) {
	if faults := p.Check(s.Channel.Credentials, true); len(faults) > 0 {
		t.Errorf("complete credentials are refused: %v", faults)
	}
	extra := maps.Clone(s.Channel.Credentials)
	extra["colour"] = "blue"
	if faults := p.Check(extra, true); len(faults) > 0 {
		t.Errorf("an unknown field beside complete ones is refused: %v", faults)
	}
	for _, f := range p.Fields {
		if !f.Required || len(f.Or) > 0 {
			continue
		}
		if paths := paths(p.Check(s.without(f.Name).Credentials, true)); !slices.Equal(paths, []string{"credentials." + f.Name}) {
			t.Errorf("without %s the faults are %v", f.Name, paths)
		}
		delete(extra, f.Name)
		if paths := paths(p.Check(extra, true)); !slices.Contains(paths, "credentials.colour") {
			t.Errorf("without %s an unknown field passes: %v", f.Name, paths)
		}
	}
	required := 0
	for _, f := range p.Fields {
		if f.Required {
			required++
		}
	}
	if faults := p.Check(nil, true); len(faults) != required {
		t.Errorf("without credentials there are %d faults, want all %d: %v", len(faults), required, faults)
	}
}

func paths(faults []apperr.Detail) []string {
	var list []string
	for _, f := range faults {
		list = append(list, f.Path)
	}
	return list
}
