package blackbox

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// sendAll sends a request as many clients do: all of it, and only then do they listen for the answer.
func (c *testCase) sendAll(path, key string, size int) int {
	c.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(c.server.Base, "http://"))
	if err != nil {
		c.Fatal(err)
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(30 * time.Second))
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: blackbox\r\nContent-Type: application/json\r\nX-API-Key: %s\r\nContent-Length: %d\r\n\r\n",
		path, key, size)
	if _, err := connection.Write(append([]byte(head), bytes.Repeat([]byte(" "), size)...)); err != nil {
		c.Errorf("%s with %d bytes: the connection broke before the whole request was sent: %v", path, size, err)
		return 0
	}
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		c.Errorf("%s with %d bytes: no answer: %v", path, size, err)
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

func init() {
	about("7-413 4.2-limits", "a client that sends everything before it listens sees why it was refused", func(c *testCase) {
		for _, one := range []struct {
			path, key string
			size      int
			status    int
		}{
			{"/api/v1/orders", c.account.Key.Key, 3 << 20, 413},
			{"/api/v1/customers", c.account.Key.Key, 3 << 20, 413},
			{"/api/v1/sdk/products/bulk-import", c.account.Key.Key, 11 << 20, 413},
			{"/api/v1/sdk/products/bulk-import", c.account.Key.Key, 30 << 20, 413},
			{"/api/v1/sdk/products/bulk-import", "pk_live_nobody", 8 << 20, 401},
			{"/api/v1/sdk/nothing", c.account.Key.Key, 8 << 20, 404},
			{"/api/v1/sdk/products/changes", c.account.Key.Key, 8 << 20, 405},
		} {
			if got := c.sendAll(one.path, one.key, one.size); got != one.status {
				c.Errorf("%s with %d bytes: %d, want %d", one.path, one.size, got, one.status)
			}
		}
	})
}
