package bench

import (
	"fmt"
	"strconv"
	"strings"

	"entrepot/internal/limits"
)

// importSource sends 1,000 new products a request. The body is rendered once;
// each request overwrites the serial digits in it.
type importSource struct {
	c    *campaign
	head []byte
	body template
}

func newImportSource(c *campaign, a *account, _ int) source {
	return &importSource{c: c, head: c.target.head("POST", "/api/v1/sdk/products/bulk-import", a.key),
		body: newTemplate(importBody(c.tag, c.Product))}
}

// importBody renders an import with a slot of ten digits in each SKU: seven for the request, three for the index in it.
func importBody(tag, kind string) []byte {
	var b strings.Builder
	b.WriteString(`{"products":[`)
	for i := range limits.MaxImport {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"sku":"IMP-%s-##########","name":"Imported article %d","description":"Cotton, woven in the old way, washed twice, `+
			`and packed in paper. Ships within two days from our own warehouse.","price":%d.%02d,"compareAtPrice":%d.00,"status":"ACTIVE"`,
			tag, i, 5+i%200, i%100, 10+i%200)
		if kind == "full" {
			fmt.Fprintf(&b, `,"images":[{"url":"https://images.bench.example/%s/%d.jpg","position":0}],"variants":[`+
				`{"sku":"IMP-%s-##########-S","name":"Small","price":%d.50,"stock":5},{"sku":"IMP-%s-##########-L","name":"Large","price":%d.50,`+
				`"stock":7}],`+
				`"stock":{"warehouseCode":"MAIN","quantity":25}`, tag, i, tag, 5+i%200, tag, 6+i%200)
		}
		b.WriteByte('}')
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func (s *importSource) next() ([]byte, []byte) {
	request := s.c.serial.Add(1)
	perProduct := uint64(len(s.body.slots) / limits.MaxImport)
	for i, slot := range s.body.slots {
		putDigits(slot, request*limits.MaxImport+uint64(i)/perProduct)
	}
	return s.head, s.body.body
}

// answered reads how many products the service accepted: all, unless the answer has another number.
func (s *importSource) answered(body []byte) (int, error) { return numberAfter(body, `"accepted":`) }
func (*importSource) keeps() bool                         { return true }

// updateSource sends 5,000 new prices or quantities in each request, for one block of the seeded products after the
// other, so that each request changes all of its items.
type updateSource struct {
	c      *campaign
	head   []byte
	blocks []template // one for each block of products; requests of one client for one block never overlap
}

func newPriceSource(c *campaign, a *account, _ int) source {
	return newUpdateSource(c, a, "/api/v1/sdk/prices/bulk-update", `,"price":1###.50}`)
}

func newStockSource(c *campaign, a *account, _ int) source {
	return newUpdateSource(c, a, "/api/v1/sdk/inventory/bulk-update", `,"warehouseCode":"MAIN","quantity":1######}`)
}

func newUpdateSource(c *campaign, a *account, path, rest string) source {
	s := &updateSource{c: c, head: c.target.head("PATCH", path, a.key)}
	for first := 0; first < c.SKUs; first += limits.MaxUpdates {
		var b []byte
		b = append(b, `{"updates":[`...)
		for n := first; n < min(first+limits.MaxUpdates, c.SKUs); n++ {
			if n > first {
				b = append(b, ',')
			}
			b = append(b, `{"sku":"`...)
			b = appendSKU(b, n)
			b = append(b, '"')
			b = append(b, rest...)
		}
		s.blocks = append(s.blocks, newTemplate(append(b, `]}`...)))
	}
	return s
}

// next writes into every slot a value that differs from the last request's for the same block: the step is such that a
// value does not recur soon.
func (s *updateSource) next() ([]byte, []byte) {
	request := s.c.serial.Add(1)
	block := s.blocks[request%uint64(len(s.blocks))]
	for i, slot := range block.slots {
		putDigits(slot, request*37+uint64(i))
	}
	return s.head, block.body
}

func (s *updateSource) answered(body []byte) (int, error) { return numberAfter(body, `"updated":`) }
func (*updateSource) keeps() bool                         { return true }

// numberAfter reads the whole number after the first occurrence of label. It replaces a JSON decoder on the hot path.
func numberAfter(body []byte, label string) (int, error) {
	text := string(body[:min(len(body), 512)])
	at := strings.Index(text, label)
	if at < 0 {
		return 0, fmt.Errorf("no %s in the answer %q", label, text)
	}
	digits := strings.TrimLeft(text[at+len(label):], " ")
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(digits[:end])
	if err != nil {
		return 0, fmt.Errorf("%s is not followed by a number in the answer %q", label, text)
	}
	return n, nil
}
