package harness

import (
	"fmt"
	"net/url"
	"time"
)

// ChangesPath is the path of a page of a change feed (products, categories or inventory), of at most limit items; since is "" for the
// beginning.
func ChangesPath(feed, since string, limit int) string {
	path := fmt.Sprintf("/api/v1/sdk/%s/changes?includeDeleted=true&limit=%d", feed, limit)
	if since != "" {
		path += "&since=" + url.QueryEscape(since)
	}
	return path
}

// Repeat runs something again and again, with 5 ms between two runs, until stop is closed.
func Repeat(stop <-chan struct{}, run func()) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(5 * time.Millisecond):
			run()
		}
	}
}
