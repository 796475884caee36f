package platforms

import (
	"fmt"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest/story"
)

// A platform's clock may be minutes behind or ahead. An order of the moment in which the channel is made, one that follows it and one much
// later are taken, each once; one that is older than the channel stays out.
func TestClocksApart(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		for _, apart := range []time.Duration{-45 * time.Minute, -5 * time.Minute, 5 * time.Minute} {
			t.Run(apart.String(), func(t *testing.T) {
				shop := shop
				set := shop.Clock
				shop.Clock = func(now func() time.Time) { set(func() time.Time { return now().Add(apart) }) }
				shop.Clock(s.clock.now)
				old := shop.Buy(oneMug())
				for began := s.Now(); s.Now().Before(began.Add(30 * time.Minute)); {
					s.Pass(5 * time.Minute)
				}
				c := s.makeChannel(t, shop, map[string]any{"pullEvery": 300})
				want := map[string]string{shop.Buy(oneMug()): "PROCESSING"}
				c.connect(t)
				want[shop.Buy(oneMug())] = "PROCESSING"
				have := func() string {
					return unless(fmt.Sprint(c.statuses()) == fmt.Sprint(want), c.statuses(), " want ", want)
				}
				c.passUntil(t, "the first orders", have)
				for began := s.Now(); s.Now().Before(began.Add(time.Hour)); {
					s.Pass(time.Minute)
				}
				want[shop.Buy(oneMug())] = "PROCESSING"
				shop.Cancel(old)
				c.passUntil(t, "all orders", have)
				c.settle(t)
				if missing := have(); missing != "" {
					t.Errorf("%s: %s", c.Platform, missing)
				}
			})
		}
	})
}
