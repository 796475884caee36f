package commerce

import (
	"slices"
	"testing"

	"entrepot/internal/connector"
)

// Attributes go to shops under their labels, those that the account has not defined under their codes, and without empty ones.
func TestAttributesOf(t *testing.T) {
	labels := map[string]string{"colour": "Colour", "none": "None"}
	got := attributesOf(`{"size":"L","colour":"Red","weight":2,"none":null,"blank":" "}`, labels)
	want := []connector.Attribute{{Name: "Colour", Value: "Red"}, {Name: "size", Value: "L"}, {Name: "weight", Value: "2"}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}
