package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// What may be null in a change is said by the description, and taken; what must not be null is 400, and the description has no null for it.
func TestNullInChanges(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		s.Commerce.Connectors = everyPlatform(t)
		var document struct {
			Paths map[string]map[string]struct {
				RequestBody struct {
					Content map[string]struct{ Schema nullSchema }
				}
			}
			Components struct{ Schemas map[string]nullSchema }
		}
		if err := json.Unmarshal(s.Document(), &document); err != nil {
			t.Fatal(err)
		}
		bodies := map[string]member{
			"products":           {"sku": "A", "name": "a", "price": 1},
			"categories":         {"name": "a", "externalId": "e"},
			"warehouses":         {"code": "W", "name": "w"},
			"attributes":         {"code": "a", "label": "l", "type": "text"},
			"segments":           {"name": "s"},
			"customers":          {"email": "ada@shop.example"},
			"channels":           {"name": "n", "platform": "CUSTOM"},
			"developer/webhooks": {"url": "http://127.0.0.1:9/", "events": []any{"*"}},
			"users":              {"email": "vera@shop.example", "name": "Vera", "role": "viewer", "password": ownerPassword},
			"account":            nil,
		}
		refused := 0
		for noun, body := range bodies {
			path, at := "/api/v1/"+noun, "/api/v1/"+noun
			if body != nil {
				status, made := s.login(t, "POST", path, body)
				if status != http.StatusCreated {
					t.Fatalf("%s: %d %v", noun, status, made)
				}
				id := text(made, "data", "id")
				if noun == "channels" {
					id = channelOf(made)
				}
				path, at = path+"/{id}", path+"/"+id
			}
			schema := document.Paths[path]["patch"].RequestBody.Content["application/json"].Schema
			if name, is := strings.CutPrefix(schema.Ref, "#/components/schemas/"); is {
				schema = document.Components.Schemas[name]
			}
			if len(schema.Properties) == 0 {
				t.Fatalf("%s: the description has no members", path)
			}
			for name, property := range schema.Properties {
				status, answer := s.login(t, "PATCH", at, member{name: nil})
				switch may := property.null(); {
				case may && status != http.StatusOK, !may && (status != http.StatusBadRequest || at0(answer) != name):
					t.Errorf("PATCH %s with %s null: %d %v; the description has null: %v", path, name, status, answer, may)
				case !may:
					refused++
				}
			}
		}
		if refused < 15 {
			t.Errorf("%d members must not be null", refused)
		}
	})
}

// nullSchema is the part of a schema that says whether null is allowed.
type nullSchema struct {
	Ref        string `json:"$ref"`
	Type       any
	Enum       []any
	AnyOf      []nullSchema
	Properties map[string]nullSchema
}

func (s nullSchema) null() bool {
	kinds, _ := s.Type.([]any)
	return s.Type == "null" || slices.Contains(kinds, any("null")) || slices.ContainsFunc(s.AnyOf, nullSchema.null) || s.free()
}

// free reports whether the schema allows everything.
func (s nullSchema) free() bool { return s.Type == nil && s.Ref == "" && s.AnyOf == nil }

// at0 is the path of the only error of an answer.
func at0(answer map[string]any) string {
	if details, _ := at(answer, "details").([]any); len(details) != 1 {
		return ""
	}
	return text(answer, "details", 0, "path")
}
