package records

import (
	"reflect"
	"testing"
)

// A job's errors have the members of a bulk answer's, without those of an item if they are about none, and are read as written.
func TestJobErrors(t *testing.T) {
	for _, c := range []struct {
		e    ItemError
		want string
	}{
		{ItemError{Index: 2, Key: "MUG", Error: "price is required", Field: "price", Code: "required"},
			`[{"sku":"MUG","error":"price is required","index":2,"field":"price","code":"required"}]`},
		{ItemError{Index: 0, Error: "an empty row", Code: "invalid"},
			`[{"sku":null,"error":"an empty row","index":0,"field":null,"code":"invalid"}]`},
		{ItemError{Index: -1, ExternalID: "731", Error: "no such order", Code: "rejected"},
			`[{"sku":null,"externalId":"731","error":"no such order","code":"rejected"}]`},
		{JobError("the channel was deleted", ""), `[{"sku":null,"error":"the channel was deleted"}]`},
	} {
		text := JobErrors(c.e)
		if text != c.want {
			t.Errorf("%s, not %s", text, c.want)
		}
		if got := ReadJobErrors(text); !reflect.DeepEqual(got, []ItemError{c.e}) {
			t.Errorf("%s is read as %+v", text, got)
		}
	}
	if JobErrors() != "[]" || len(ReadJobErrors("[]")) != 0 {
		t.Error("a job without errors has some")
	}
}
