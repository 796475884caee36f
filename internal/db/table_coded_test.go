package db

import "testing"

// A coded column takes texts and NULL, and nothing else that a driver may have read.
func TestCodedColumnsTakeText(t *testing.T) {
	for value, want := range map[any]string{"a": "a", nil: "", 7: "refused", true: "refused"} {
		got := "refused"
		err := codedTarget(func(text string) error { got = text; return nil }).Scan(value)
		if got != want || (err != nil) != (want == "refused") {
			t.Errorf("%v: %q %v", value, got, err)
		}
	}
}
