package platforms

import (
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/connector/connectortest/story"
	"entrepot/internal/db/dbtest"
)

// dealt are the shops of all platforms that a test meets on an engine: each on one of the two, by the test's name, so that every test runs
// on both engines and every platform meets both (decision 20). With -full it meets all.
func dealt(t *testing.T, engine string) []story.Shop {
	t.Helper()
	engines := dbtest.EngineNames()
	if *full || !slices.Contains(engines, engine) {
		return shops()
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	first := int(crc32.ChecksumIEEE([]byte(name)) % 2)
	var list []story.Shop
	for i, shop := range shops() {
		if engines[(first+i)%len(engines)] == engine {
			list = append(list, shop)
		}
	}
	return list
}

// chosen are the shops of the named platforms, which a test meets on both engines, or those that are dealt to it.
func chosen(t *testing.T, engine string, only []string) []story.Shop {
	t.Helper()
	if len(only) == 0 {
		return dealt(t, engine)
	}
	return slices.DeleteFunc(shops(), func(shop story.Shop) bool { return !slices.Contains(only, shop.Platform) })
}

// Every platform is dealt to one engine.
func TestEveryPlatformIsDealt(t *testing.T) {
	var met []string
	for _, engine := range dbtest.EngineNames() {
		for _, shop := range dealt(t, engine) {
			met = append(met, shop.Platform)
		}
	}
	times := 1
	if *full {
		times = len(dbtest.EngineNames())
	}
	for _, shop := range shops() {
		if n := len(slices.DeleteFunc(slices.Clone(met), func(platform string) bool { return platform != shop.Platform })); n != times {
			t.Errorf("%s is met %d times", shop.Platform, n)
		}
	}
}
