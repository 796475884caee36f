package bench

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Connections are dealt out over all nodes of a service.
func TestConnectionsAreDealtOutOverNodes(t *testing.T) {
	var asked [3]atomic.Int64
	var addresses []string
	for i := range asked {
		node := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked[i].Add(1) }))
		defer node.Close()
		addresses = append(addresses, node.URL)
	}
	target, err := newTarget(context.Background(), strings.Join(addresses, ","), false)
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		c := newConn(target, time.Now().Add(10*time.Second))
		for range 2 {
			if a, err := c.exchange(target.head("GET", "/", ""), nil, false); err != nil || a.status != http.StatusOK {
				t.Fatalf("status %d, %v", a.status, err)
			}
		}
		c.close()
	}
	for i := range asked {
		if n := asked[i].Load(); n != 4 {
			t.Errorf("node %d got %d requests of 12, not 4", i, n)
		}
	}
}

// Nodes of one service differ in host and port only.
func TestNodesOfOneService(t *testing.T) {
	for _, bases := range []string{"http://127.0.0.1:1,https://127.0.0.1:2", "http://127.0.0.1:1,http://127.0.0.1:2/other",
		"http://127.0.0.1:1,",
		"http://127.0.0.1:1,ftp://127.0.0.1:2"} {
		if _, err := newTarget(context.Background(), bases, false); err == nil {
			t.Errorf("%s is accepted", bases)
		}
	}
}
