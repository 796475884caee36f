package api

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// Every parameter of every operation and event is described, those of paths and queries with the section that has the rest.
func TestEveryParameterIsDescribed(t *testing.T) {
	a := New(Config{Version: "test"})
	type parameter struct {
		Ref                   string `json:"$ref"`
		Name, In, Description string
	}
	type operations map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Parameters  []parameter
	}
	var d struct {
		Paths, Webhooks operations
		Components      struct{ Parameters map[string]parameter }
	}
	if err := json.Unmarshal(a.Description(), &d); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, part := range []operations{d.Paths, d.Webhooks} {
		for _, methods := range part {
			for _, op := range methods {
				for _, p := range op.Parameters {
					if p.Ref != "" {
						p = d.Components.Parameters[path.Base(p.Ref)]
					}
					about, _, sectioned := strings.Cut(p.Description, "Interface §")
					if strings.TrimSpace(about) == "" || p.In != "header" && !sectioned {
						t.Errorf("%s: the parameter %q in %s is not described: %q", op.OperationID, p.Name, p.In, p.Description)
					}
					seen++
				}
			}
		}
	}
	if seen < len(a.table.routes) {
		t.Errorf("only %d parameters were found", seen)
	}
}

// Each description is that of a parameter: what a change leaves behind is noticed.
func TestNoDescriptionIsLeftBehind(t *testing.T) {
	unused := maps.Clone(parameterAbout)
	for _, r := range routes() {
		for _, p := range r.parameters() {
			text, _ := p.(object)["description"].(string)
			maps.DeleteFunc(unused, func(_, about string) bool { return strings.HasPrefix(text, about) })
		}
	}
	if len(unused) > 0 {
		t.Errorf("descriptions of no parameter: %v", slices.Sorted(maps.Keys(unused)))
	}
}
