package bench

import (
	"math/rand/v2"
	"strconv"
	"time"
)

// orderSource creates orders of three different lines, each for a new customer.
type orderSource struct {
	start      []byte // what every request starts with
	head, body []byte
	tag        string
	client     int
	made       uint64
	skus       int
	idempotent bool
	statuses   []string // initial statuses in turn; none: the default
	random     *rand.Rand
}

func newOrderSource(c *campaign, a *account, client int) source {
	return &orderSource{
		start: c.target.head("POST", "/api/v1/orders", a.key), tag: c.tag + strconv.FormatUint(c.serial.Add(1), 36), client: client,
		skus: c.SKUs, idempotent: c.Idempotency, random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
	}
}

func (s *orderSource) next() ([]byte, []byte) {
	s.made++
	s.head = append(s.head[:0], s.start...)
	if s.idempotent {
		s.head = append(s.head, "Idempotency-Key: "...)
		s.head = s.appendName(s.head)
		s.head = append(s.head, '\r', '\n')
	}
	b := append(s.body[:0], `{"customerName":"Bench Buyer `...)
	b = strconv.AppendUint(b, s.made, 10)
	b = append(b, `","customerEmail":"`...)
	b = s.appendName(b)
	b = append(b, `@bench.example","currency":"EUR",`...)
	if len(s.statuses) > 0 {
		b = append(b, `"initialStatus":"`...)
		b = append(b, s.statuses[s.made%uint64(len(s.statuses))]...)
		b = append(b, `",`...)
	}
	b = append(b, `"shippingAddress":{"line1":"1 Quay Street","city":"Antwerp","postalCode":"2000","country":"BE"},"items":[`...)
	first := s.random.IntN(s.skus)
	for line := range 3 {
		if line > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"sku":"`...)
		b = appendSKU(b, (first+line*s.skus/3)%s.skus) // three thirds of the range: never the same twice
		b = append(b, `","quantity":`...)
		b = append(b, byte('1'+(first+line)%3))
		b = append(b, `,"unitPrice":`...)
		b = strconv.AppendInt(b, int64(5+(first+line)%200), 10)
		b = append(b, `.90}`...)
	}
	s.body = append(b, `]}`...)
	return s.head, s.body
}

// appendName appends a name no other request has.
func (s *orderSource) appendName(b []byte) []byte {
	b = append(b, s.tag...)
	b = append(b, '-')
	b = strconv.AppendInt(b, int64(s.client), 10)
	b = append(b, '-')
	return strconv.AppendUint(b, s.made, 10)
}

func (*orderSource) answered([]byte) (int, error) { return 1, nil }
func (*orderSource) keeps() bool                  { return false }

// fixedSource sends requests without a body, rendered beforehand, in random
// order.
type fixedSource struct {
	heads  [][]byte
	random *rand.Rand
}

func (s *fixedSource) next() ([]byte, []byte)     { return s.heads[s.random.IntN(len(s.heads))], nil }
func (*fixedSource) answered([]byte) (int, error) { return 1, nil }
func (*fixedSource) keeps() bool                  { return false }

func newFixedSource(heads [][]byte) source {
	return &fixedSource{heads: heads, random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}
}

// newOrderReadSource reads single orders out of those that the seed found.
func newOrderReadSource(c *campaign, a *account, _ int) source {
	heads := make([][]byte, len(a.orders))
	for i, id := range a.orders {
		heads[i] = c.target.head("GET", "/api/v1/orders/"+id, a.key)
	}
	return newFixedSource(heads)
}

// newOrderListSource reads one of the first ten pages of 20 orders, filtered
// by two statuses and a range of dates.
func newOrderListSource(c *campaign, a *account, _ int) source {
	now := time.Now().UTC()
	pages := min(max(a.found/20, 1), 10)
	var heads [][]byte
	for page := 1; page <= pages; page++ {
		for days := 1; days <= 30; days += 5 {
			heads = append(heads, c.target.head("GET", "/api/v1/orders?status="+listStatuses[0]+","+listStatuses[1]+
				"&dateFrom="+now.AddDate(0, 0, -days).Format(time.DateOnly)+
				"&dateTo="+now.AddDate(0, 0, 1).Format(time.DateOnly)+
				"&limit=20&page="+strconv.Itoa(page), a.key))
		}
	}
	return newFixedSource(heads)
}
