package blackbox

import (
	"net/http"

	"entrepot/test/blackbox/harness"
)

func init() {
	about("8-etag", "HEAD has the headers of GET", func(c *testCase) {
		read := c.must(c.call(http.MethodGet, "/api/v1/account", nil), 200)
		head, err := c.account.Key.Do(harness.Request{Method: http.MethodHead, Path: "/api/v1/account"})
		if err != nil || head.Status != 200 || len(head.Body) > 0 {
			c.Fatalf("%v %s", err, head)
		}
		for _, name := range []string{"ETag", "Cache-Control", "Content-Type"} {
			if head.Header.Get(name) != read.Header.Get(name) {
				c.Errorf("%s is %q, on GET %q", name, head.Header.Get(name), read.Header.Get(name))
			}
		}
		same, err := c.account.Key.Do(harness.Request{Method: http.MethodHead, Path: "/api/v1/account",
			Header: http.Header{"If-None-Match": {read.Header.Get("ETag")}}})
		if err != nil || same.Status != 304 {
			c.Errorf("unchanged: %v %s", err, same)
		}
	})
}
