package story

import (
	"fmt"
	"strings"
	"time"
)

// tokenEnds expires the access token, and interrupts the service while it requests another one; later changes reach
// the platform nevertheless.
func (s *story) tokenEnds() {
	if !s.shop.can(Tokens) {
		return
	}
	s.door.breakRenewal()
	s.shop.Expire()
	s.setLevels(func(i int) int { return 40 + i%5 })
	s.await("stock after the token ended", s.differs)
	if s.door.awaitsRenewal() {
		s.Errorf("%s: no access token was requested", s.shop.Platform)
	}
	if state := s.call("GET", "/api/v1/channels/"+s.channel, nil, 200).Text("data", "status"); state != "active" {
		s.Errorf("%s: the channel is %s", s.shop.Platform, state)
	}
}

// outage makes the platform unreachable. Meanwhile stock changes and an order is shipped in the service, an order is
// placed in the shop, and the service is interrupted. The outage is reported once for each kind of work, and
// afterwards both sides agree.
func (s *story) outage() {
	before := s.failures("")
	s.door.shut(true)
	s.setLevels(func(i int) int { return 60 + i%4 })
	for _, o := range s.orders {
		if o.kind == waiting {
			s.ship(o)
		}
	}
	late := s.place(plain)
	begin := s.service.Now()
	for half := range 2 {
		end := begin.Add(s.Outage / 2 * time.Duration(half+1))
		for s.service.Now().Before(end) {
			s.service.Pass(time.Minute)
		}
		if half == 0 {
			s.service.Restart()
		}
	}
	if now := s.call("GET", "/api/v1/channels/"+s.channel, nil, 200); now.At("data", "lastError") == nil {
		s.Errorf("%s: the channel does not show the outage: %v", s.shop.Platform, now)
	}
	s.door.shut(false)
	s.await("orders after the outage", s.misses)
	s.await("states after the outage", s.unsaid)
	s.await("stock after the outage", s.differs)
	s.await("all is well", func() string {
		now := s.call("GET", "/api/v1/channels/"+s.channel, nil, 200)
		return unless(now.At("data", "lastError") == nil && now.Text("data", "status") == "active", now)
	})
	seen := map[string]int{}
	for _, kind := range s.failures("")[len(before):] {
		seen[kind]++
	}
	for kind, n := range seen {
		if n > 1 && !s.Failing {
			s.Errorf("%s: the outage of %s was reported %d times", s.shop.Platform, kind, n)
		}
	}
	if len(seen) == 0 {
		s.Errorf("%s: the outage was never reported", s.shop.Platform)
	}
	s.ship(late)
	s.await("the order of the outage is shipped", s.unsaid)
}

// failures are the types of the jobs for which channel.sync_failed was emitted after an event.
func (s *story) failures(after string) (list []string) {
	for {
		got := s.call("GET", "/api/v1/developer/events?limit=100&after="+after, nil, 200)
		for i := range got.List("data") {
			after = got.Text("data", i, "id")
			if got.Text("data", i, "event") == "channel.sync_failed" {
				list = append(list, got.Text("data", i, "data", "type"))
			}
		}
		if len(got.List("data")) < 100 {
			return list
		}
	}
}

// end compares both sides, and again after half an hour without changes.
func (s *story) end() {
	for _, check := range []func() string{s.differs, s.misses, s.unsaid} {
		s.await("both sides are equal", check)
	}
	calls := s.door.count()
	for begin := s.service.Now(); s.service.Now().Before(begin.Add(s.Outage / 2)); {
		s.service.Pass(time.Minute)
	}
	s.Logf("%s: %d calls while nothing changed", s.shop.Platform, s.door.count()-calls)
	for _, check := range []func() string{s.differs, s.misses, s.unsaid} {
		if wrong := check(); wrong != "" {
			s.Errorf("%s: afterwards: %s", s.shop.Platform, wrong)
		}
	}
	for i, o := range s.orders {
		s.examine(i, o)
	}
}

// examine checks the final state of an order.
func (s *story) examine(i int, o *order) {
	got, want := s.full(o), ""
	if o.kind == unknown {
		want = "unknown_sku"
	}
	var issues []string
	for n := range got.List("issues") {
		issues = append(issues, got.Text("issues", n, "code"))
	}
	if strings.Join(issues, " ") != want {
		s.Errorf("%s: order %d (%s) has the issues %q, want %q: %v", s.shop.Platform, i, o.id, issues, want, got)
	}
	for n := range got.List("items") {
		strange := strings.HasPrefix(got.Text("items", n, "sku"), "GONE") || got.Text("items", n, "sku") == ""
		if strange != (got.At("items", n, "productId") == nil) {
			s.Errorf("%s: order %d: the line %v", s.shop.Platform, i, got.At("items", n))
		}
	}
	if lines, least := len(got.List("items")), len(o.wish.Lines); lines < least {
		s.Errorf("%s: order %d has %d lines, want %d: %v", s.shop.Platform, i, lines, least, got)
	}
	if there := s.shop.Order(o.id); s.shop.can(Pieces) && o.status == "SHIPPED" && there.Pieces != pieces(o) {
		s.Errorf("%s: order %d: %d pieces have left there, want %d", s.shop.Platform, i, there.Pieces, pieces(o))
	}
	if sum := total(got); sum != got.Text("totalAmount") {
		s.Errorf("%s: order %d adds up to %s: %v", s.shop.Platform, i, sum, got)
	}
}

func pieces(o *order) (n int64) {
	for _, l := range o.wish.Lines {
		n += l.Quantity
	}
	return n
}

// total is the sum of an order's amounts.
func total(order Document) string {
	cents := func(path ...any) int64 {
		f, _ := order.At(path...).(float64)
		if f < 0 {
			return int64(f*100 - 0.5)
		}
		return int64(f*100 + 0.5)
	}
	var lines int64
	for i := range order.List("items") {
		lines += cents("items", i, "lineTotal")
	}
	if lines != cents("subtotal") {
		return fmt.Sprintf("lines of %s and a subtotal of %s", decimal(lines), decimal(cents("subtotal")))
	}
	return decimal(lines - cents("discountAmount") + cents("shippingAmount") + cents("taxAmount"))
}
