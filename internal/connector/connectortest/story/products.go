package story

import (
	"fmt"
	"slices"
	"strings"
)

// productsOut imports products, every second one with three variants, publishes them, and interrupts the service
// meanwhile.
func (s *story) productsOut() {
	for i := range s.Products {
		s.products = append(s.products, fmt.Sprintf("MUG-%03d", i))
	}
	s.door.breakAfter(4 + s.Products/8)
	for from := 0; from < s.Products; from += 100 {
		var list []map[string]any
		for i := from; i < min(from+100, s.Products); i++ {
			list = append(list, s.product(i))
		}
		s.call("POST", "/api/v1/sdk/products/bulk-import?wait=true", map[string]any{"products": list}, 200)
	}
	s.setLevels(func(i int) int { return 50 + i%7 })
	for piece := range slices.Chunk(s.products, 100) {
		s.call("POST", "/api/v1/channels/"+s.channel+"/publications", map[string]any{"skus": piece}, 200)
	}
	s.await("products are published", func() string {
		counts, first := s.states()
		return unless(counts["published"] == s.Products, counts, first)
	})
	s.await("stock and prices of all", s.differs)
}

// product is an imported product; its SKUs are noted.
func (s *story) product(i int) map[string]any {
	sku, cents := s.products[i], int64(1050+i%5*100)
	p := map[string]any{"sku": sku, "name": fmt.Sprintf("Mug \"%d\" & Co", i), "price": decimal(cents), "description": "<p>A mug.</p>",
		"images": []any{map[string]any{"url": s.pictures + "/" + sku + ".png", "position": 0}}}
	identify := func(attributes map[string]any) map[string]any {
		if s.shop.Identifiers {
			attributes["EAN"] = EAN(len(s.sold))
		}
		return attributes
	}
	if i%2 == 0 {
		p["attributes"] = identify(map[string]any{})
		s.sold = append(s.sold, sold{sku, cents})
		return p
	}
	var variants []any
	for _, size := range []string{"S", "M", "L"} {
		variants = append(variants, map[string]any{"sku": sku + "-" + size, "name": size, "price": decimal(cents + 100),
			"attributes": identify(map[string]any{"Size": size})})
		s.sold = append(s.sold, sold{sku + "-" + size, cents + 100})
	}
	p["variants"] = variants
	return p
}

// EAN is the n-th number of the trade, with its check digit.
func EAN(n int) string {
	text := fmt.Sprintf("400638%06d", n)
	sum := 0
	for i, digit := range text {
		sum += int(digit-'0') * (1 + i%2*2)
	}
	return fmt.Sprint(text, (10-sum%10)%10)
}

func decimal(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// setLevels sets the stock of all that is sold.
func (s *story) setLevels(quantity func(i int) int) {
	for from := 0; from < len(s.sold); from += 1000 {
		var updates []map[string]any
		for i := from; i < min(from+1000, len(s.sold)); i++ {
			updates = append(updates, map[string]any{"sku": s.sold[i].sku, "quantity": quantity(i)})
		}
		s.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": updates}, 200)
	}
}

// waves changes stock and prices of all SKUs, again before the first change has reached the platform, and interrupts
// the service in between. The shop must show the last values.
func (s *story) waves() {
	for wave := range 2 {
		s.setLevels(func(i int) int { return 30 + (i+wave)%9 })
		var prices []map[string]any
		for i := range s.sold {
			s.sold[i].cents += int64(25 + 50*wave)
			prices = append(prices, map[string]any{"sku": s.sold[i].sku, "price": decimal(s.sold[i].cents)})
		}
		s.call("PATCH", "/api/v1/sdk/prices/bulk-update", map[string]any{"updates": prices}, 200)
		if wave == 0 {
			s.door.breakAfter(3)
			s.service.Pass(0)
		}
	}
	s.await("the waves", s.differs)
}

// states counts the channel's publications by status; first is the first error.
func (s *story) states() (counts map[string]int, first string) {
	counts = map[string]int{}
	for page := 1; ; page++ {
		got := s.call("GET", fmt.Sprintf("/api/v1/channels/%s/publications?limit=250&page=%d", s.channel, page), nil, 200)
		for i := range got.List("data") {
			counts[got.Text("data", i, "status")]++
			if text := got.Text("data", i, "error"); text != "" && first == "" {
				first = text
			}
		}
		if len(got.List("data")) < 250 {
			return counts, first
		}
	}
}

// available is the stock that the service has.
func (s *story) available() map[string]int64 {
	out := map[string]int64{}
	for page := 1; ; page++ {
		got := s.call("GET", fmt.Sprintf("/api/v1/inventory?limit=100&page=%d", page), nil, 200)
		for i := range got.List("data") {
			n, _ := got.At("data", i, "available").(float64)
			out[got.Text("data", i, "sku")] += int64(n)
		}
		if len(got.List("data")) < 100 {
			return out
		}
	}
}

// differs says where the shop differs from the service: "" if every SKU is on sale once, with its price and quantity.
func (s *story) differs() string {
	there, doubled := s.shop.Stands()
	if len(doubled) > 0 {
		s.Fatalf("%s: SKUs stand twice: %v", s.shop.Platform, doubled)
	}
	here := s.available()
	var wrong []string
	for _, k := range s.sold {
		shown := there[k.sku]
		if want := (Shown{max(0, here[k.sku]), decimal(k.cents), true}); shown != want {
			wrong = append(wrong, fmt.Sprintf("%s shows %+v, want %+v", k.sku, shown, want))
		}
	}
	return unless(len(wrong) == 0, fmt.Sprintf("%d differ: %s", len(wrong), strings.Join(wrong[:min(3, len(wrong))], "; ")))
}
