package apijson

import (
	"fmt"
	"slices"
	"testing"
)

// A query is read as it was sent: what cannot be decoded is an error of its parameter and never left out, unless nobody reads it.
func TestParseQuery(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"search=a%20b+c&limit=5&status=A,B&status=C", `"a b c" 5 [A B C] []`},
		{"search=a;b&limit=5;page=2", `"a;b" 20 [] [limit: must be an integer, 1 or more]`},
		{"search=50%", `"" 20 [] [search: has a percent sign without two hexadecimal digits: write it as %25]`},
		{"limit=%zz&status=A&status=%2", `"" 20 [] [limit: has a percent sign without two hexadecimal digits: write it as %25 ` +
			`status: has a percent sign without two hexadecimal digits: write it as %25]`},
		{"%zz=1&other=%zz&&=5&limit", `"" 20 [] []`},
		{"search==&limit=", `"=" 20 [] []`},
		{"limit=101", `"" 100 [] []`},
		{"limit=99999999999999999999", `"" 100 [] []`},
		{"limit=99999999999999999999x", `"" 20 [] [limit: must be an integer, 1 or more]`},
		{"limit=-99999999999999999999", `"" 20 [] [limit: must be an integer, 1 or more]`},
		{"limit=0", `"" 20 [] [limit: must be an integer, 1 or more]`},
		{"search=%00", `"" 20 [] [search: must be valid UTF-8 without the character U+0000]`},
		{"limit=%ff", `"" 20 [] [limit: must be valid UTF-8 without the character U+0000]`},
		{"", `"" 20 [] []`},
	} {
		q := ParseQuery(c.query)
		search, limit, status := q.Text("search"), q.Int("limit", 20, 1, 100), q.List("status")
		errs := []string{}
		for _, f := range q.errs {
			errs = append(errs, f.Path+": "+f.Message)
		}
		if got := fmt.Sprintf("%q %d %v %v", search, limit, slices.Clip(status), errs); got != c.want {
			t.Errorf("%s is read as\n%s\nnot\n%s", c.query, got, c.want)
		}
	}
}
