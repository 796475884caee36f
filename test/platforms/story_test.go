package platforms

import (
	"flag"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest/story"
	"entrepot/internal/db/dbtest"
)

var full = flag.Bool("full", false, "500 products and 200 orders on each platform, instead of 24 and 20")

// size is how much happens in a story.
func size() story.Size {
	if *full {
		return story.Size{Products: 500, Orders: 200, Outage: time.Hour}
	}
	return story.Size{Products: 24, Orders: 20, Outage: time.Hour}
}

// One story on every platform, on the engine that is dealt to it: nothing is lost, nothing doubled,
// stock is equal on both sides and amounts to the cent.
func TestStory(t *testing.T) {
	dbtest.Long(t, "a shop of each platform lives through a whole story")
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			for _, shop := range dealt(t, engine) {
				t.Run(shop.Platform, func(t *testing.T) { story.Run(t, unstarted(t, engine).timed().begin(), shop, size()) })
			}
		})
	}
}
