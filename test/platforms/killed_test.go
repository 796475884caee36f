package platforms

import (
	"testing"

	"entrepot/internal/connector/connectortest/story"
	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

// The story up to the changes of orders on the platform, with the program itself, which is killed where the service is broken off
// elsewhere: while it waits for a shop's answer to what the shop has done.
func TestStoryKilled(t *testing.T) {
	dbtest.Long(t, "it kills the program while it works with a shop")
	t.Parallel()
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		t.Parallel()
		server := harness.Start(t, engine, harness.Options{Env: []string{"ENTREPOT_PULL_EVERY=1s"}})
		s := &service{T: t, base: server.Base, key: server.FirstAccount(t).Key.Key}
		s.again = func() { server.Kill(); server.Launch() }
		shop := wooCommerce()
		shop.Faults = nil // after failures the service rests by the machine's clock here
		story.Run(t, s, shop, story.Size{Products: 12, Orders: 20, Chapters: 5})
	})
}
