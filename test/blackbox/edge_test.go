package blackbox

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"entrepot/test/blackbox/harness"
)

func init() {
	about("8-etag", "HEAD has the headers of GET", func(c *conversation) {
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
		same, err := c.account.Key.Do(harness.Request{Method: http.MethodHead, Path: "/api/v1/account", Header: http.Header{"If-None-Match": {read.Header.Get("ETag")}}})
		if err != nil || same.Status != 304 {
			c.Errorf("unchanged: %v %s", err, same)
		}
	})

	// Many clients write the whole body before they read: the refusal must still be there for them.
	about("7-413", "a refusal can be read after a large body was written", func(c *conversation) {
		for _, refused := range []struct {
			path, key string
			size      int
			status    int
		}{
			{"/api/v1/customers", c.account.Key.Key, 3 << 20, 413},
			{"/api/v1/sdk/products/bulk-import", c.account.Key.Key, 11 << 20, 413},
			{"/api/v1/sdk/products/bulk-import", "pk_live_nobodys", 9 << 20, 401},
			{"/api/v1/nowhere", c.account.Key.Key, 2 << 20, 404},
		} {
			answer, err := writeThenRead(strings.TrimPrefix(c.server.Base, "http://"), refused.path, refused.key, refused.size)
			if err != nil {
				c.Errorf("%s with %d bytes: %v", refused.path, refused.size, err)
			} else if answer != refused.status {
				c.Errorf("%s with %d bytes: status %d, want %d", refused.path, refused.size, answer, refused.status)
			}
		}
	})
}

// writeThenRead posts a body of a size and reads nothing before all of it is written; it gives the answer's status.
func writeThenRead(host, path, key string, size int) (int, error) {
	connection, err := net.DialTimeout("tcp", host, 5*time.Second)
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(20 * time.Second))
	_, err = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, host, key, size)
	piece := []byte(strings.Repeat(" ", 64<<10))
	for sent := 0; err == nil && sent < size; sent += len(piece) {
		_, err = connection.Write(piece[:min(len(piece), size-sent)])
	}
	if err != nil {
		return 0, fmt.Errorf("writing: %w", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		return 0, fmt.Errorf("reading: %w", err)
	}
	answer.Body.Close()
	return answer.StatusCode, nil
}
