package importer

import (
	"sync"

	"entrepot/internal/limits"
)

// chunk is the items that are sent and confirmed together: up to 1,000 products in one request, or a few orders one
// after the other. It also has the errors found while it was filled, so that report and counters advance in the order
// of the file.
type chunk struct {
	number   int
	pieces   int // pieces handed out up to the end of this chunk, from the file's beginning
	body     []byte
	items    []chunkItem
	faults   []Fault
	lastRow  int
	fileRead int64 // bytes of the file read when it was full
}

// chunkItem is one product or order in a chunk: body[from:to].
type chunkItem struct {
	place
	item     string
	rows     int
	from, to int
	credit   *creditPlan
}

var chunks = sync.Pool{New: func() any { return new(chunk) }}

func newChunk(number int) *chunk {
	c := chunks.Get().(*chunk)
	*c = chunk{number: number, body: c.body[:0], items: c.items[:0], faults: c.faults[:0]}
	return c
}

// wrapping is more than the size of a bulk request without its items.
const wrapping = 1024

// chunker divides the stream of pieces into chunks.
type chunker struct {
	most    int // items in a chunk
	bytes   int // of a chunk's body
	skip    int // pieces confirmed by an earlier run
	pieces  int
	number  int
	current *chunk
	read    func() int64
	deliver func(*chunk) error
}

// most errors that wait in a chunk without items.
const mostErrors = 5_000

// take adds a piece; makers call it as their emit.
func (k *chunker) take(p piece) error {
	k.pieces++
	if k.pieces <= k.skip {
		return nil
	}
	if p.body != nil && len(p.body)+wrapping > limits.MaxBulkBody {
		p.faults = append(p.faults, p.refused(p.item, "", "too_large", "the product is longer than %d bytes", limits.MaxBulkBody-wrapping))
		p.faults[len(p.faults)-1].Rows = p.rows
		p.body = nil
	}
	if k.current != nil && p.body != nil && len(k.current.items) > 0 &&
		(len(k.current.items) >= k.most || len(k.current.body)+len(p.body)+1 > k.bytes) {
		if err := k.flush(k.pieces - 1); err != nil {
			return err
		}
	}
	if k.current == nil {
		k.number++
		k.current = newChunk(k.number)
	}
	c := k.current
	c.faults = append(c.faults, p.faults...)
	c.lastRow = max(c.lastRow, p.row)
	if p.body != nil {
		if len(c.items) > 0 {
			c.body = append(c.body, ',')
		}
		from := len(c.body)
		c.body = append(c.body, p.body...)
		c.items = append(c.items, chunkItem{place: p.place, item: p.item, rows: p.rows, from: from, to: len(c.body), credit: p.credit})
	}
	if len(c.items) == 0 && len(c.faults) >= mostErrors {
		return k.flush(k.pieces)
	}
	return nil
}

// flush passes the present chunk on.
func (k *chunker) flush(pieces int) error {
	c := k.current
	if c == nil {
		return nil
	}
	k.current = nil
	c.pieces, c.fileRead = pieces, k.read()
	return k.deliver(c)
}
