package sales

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/spans"
)

// A top is what sold best in 350 days: the greatest sums in the account's currency, and of each other SKU how many
// fifteenths of the greatest of these amounts it has at most. Tops begin every ten days, so that one lies in every year.
// The best sellers of a year are those of a top and of the 15 days beside it, unless a SKU that is not in the top may be
// among them: then all blocks are read (decision 9). A top is kept with the blocks, and is valid like them.

// topWidth is the width of a top, topStep that from one to the next, topReach that of the longest range for which one is used.
var (
	topWidth = 350 * widths[days]
	topStep  = 10 * widths[days]
	topReach = topWidth + 2*widths[months]
)

// topSize is how many sums a top has, fewestTop from how many orders on there is one. Tests lower them.
var (
	topSize         = 1 << 13
	fewestTop int64 = 20_000
)

// topPatience is how long an invalid top is left before it is made again.
const topPatience = time.Hour

// top is an unpacked top.
type top struct {
	currency string
	all      bool   // no SKU is left out
	end      int64  // numbers from here on had not been sold
	unit     int64  // an amount, in 1/10,000
	shares   []byte // half a byte for each number up to end: 0 in the top, else so many units are no less than its amount
	body     []byte // as a block
}

// mostShare is the share of the greatest amount that is left out.
const mostShare = 15

// share is the greatest amount that a SKU out of the top may have.
func (t *top) share(number int64) int64 {
	return t.unit * int64(t.shares[number/2]>>(number%2*4)&mostShare)
}

func sumOf(amount int64) Sum { return Sum{Big: amount / addUp, Small: amount % addUp} }

func (t *top) encode() []byte {
	all := byte(0)
	if t.all {
		all = 1
	}
	body := binary.AppendUvarint([]byte{all}, uint64(len(t.currency)))
	body = append(body, t.currency...)
	body = binary.AppendUvarint(body, uint64(t.end))
	body = binary.AppendUvarint(body, uint64(t.unit))
	return slices.Concat(body, t.shares, t.body)
}

func decodeTop(body []byte) (t top, err error) {
	if len(body) == 0 {
		return t, errBroken
	}
	t.all, body = body[0] == 1, body[1:]
	size, n := binary.Uvarint(body)
	if n <= 0 || size > uint64(len(body)-n) {
		return t, errBroken
	}
	t.currency, body = string(body[n:n+int(size)]), body[n+int(size):]
	for _, into := range []*int64{&t.end, &t.unit} {
		value, n := binary.Uvarint(body)
		if n <= 0 {
			return t, errBroken
		}
		*into, body = int64(value), body[n:]
	}
	if t.all {
		t.body = body
		return t, nil
	}
	if t.end < 0 || (t.end+1)/2 > int64(len(body)) {
		return t, errBroken
	}
	t.shares, t.body = body[:(t.end+1)/2], body[(t.end+1)/2:]
	return t, nil
}

// prefetchVersion prefetches the sum of the versions of the days of a range.
func prefetchVersion(tx *db.Tx, from, to int64) *db.Pending[int64] {
	p := new(db.Pending[int64])
	return p.Await(tx.Prefetch(func(r db.Rows) error { return r.Scan(&p.Value) },
		"SELECT coalesce(sum(version), 0)::BIGINT FROM order_figures WHERE tenant_id = $1 AND span = $2 AND status IN "+every+
			" AND bucket >= $3 AND bucket < $4", tx.Tenant, spans.DaysOfAll, from, to))
}

// readTop reads the valid top that lies in a range, nil if there is none.
func readTop(tx *db.Tx, currency string, from, to int64) (t *top, bucket int64, err error) {
	bucket = spans.Up(max(from, 0), topStep)
	if bucket+topWidth > to || to-from > topReach {
		return nil, 0, nil
	}
	var version int64
	var body []byte
	current := prefetchVersion(tx, bucket, bucket+topWidth)
	read := tx.Prefetch(func(r db.Rows) error { return r.Scan(&version, &body) },
		"SELECT version, body FROM sales_blocks WHERE tenant_id = $1 AND width = $2 AND bucket = $3", tx.Tenant, topWidth, bucket)
	if err := read.Wait(); err != nil || len(body) == 0 { // none, or one that a node is making
		return nil, 0, err
	}
	if now, err := current.Wait(); err != nil || now != version {
		return nil, 0, err
	}
	kept, err := decodeTop(body)
	if err != nil || kept.currency != currency {
		return nil, 0, err
	}
	return &kept, bucket, nil
}

// byTop ranks what a top and the rest of a range have; sure reports whether the best are among these.
func byTop(tx *db.Tx, t *top, bucket, from, to int64, most int) (best *summed, sure bool, err error) {
	m, c := newMerger(tx, t.currency)
	chosen, err := newChooser(t, most)
	if err == nil {
		err = m.take(t.body)
	}
	if err == nil {
		err = c.stretches([2]int64{max(from, 0), bucket}, [2]int64{bucket + topWidth, to})
	}
	if err == nil {
		err = m.merge(chosen.add)
	}
	if err != nil {
		return nil, false, err
	}
	return &summed{chosen.ranking, m, c}, chosen.sure(), nil
}

// chooser ranks sums that are complete, in the order of their numbers, and knows the greatest of the others.
type chooser struct {
	ranking
	top     *top
	numbers []int64 // in the top, as far as they are not passed
	others  int64   // the greatest amount that one of the others may have
	large   bool    // one of them may have more than fits
}

func newChooser(t *top, most int) (*chooser, error) {
	c := &chooser{ranking: ranking{most: most}, top: t}
	return c, decode(t.body, func(i item, _ Sum) { c.numbers = append(c.numbers, i.number) })
}

func (c *chooser) add(n numbered) {
	for len(c.numbers) > 0 && c.numbers[0] < n.number {
		c.numbers = c.numbers[1:]
	}
	if c.top.all || n.number >= c.top.end || len(c.numbers) > 0 && c.numbers[0] == n.number {
		c.ranking.add(n)
		return
	}
	c.large = c.large || n.tooLarge()
	c.others = max(c.others, n.amount()+c.top.share(n.number))
}

// sure reports whether no SKU with an incomplete sum may be among the best.
func (c *chooser) sure() bool {
	if c.top.all {
		return true
	}
	if len(c.ranking.top) < c.most {
		return false
	}
	least := c.ranking.top[c.most-1]
	least.Quantity = 0
	return !c.large && sumOf(max(c.others, mostShare*c.top.unit)).compare(least) < 0
}

// dueTops are the tops to be made, of the days with any orders.
func dueTops(tx *db.Tx, list []state) (due []int64, later bool, err error) {
	type made struct{ version, at int64 }
	known := map[int64]made{}
	err = tx.Each(func(r db.Rows) error {
		var bucket int64
		var m made
		err := r.Scan(&bucket, &m.version, &m.at)
		known[bucket] = m
		return err
	}, "SELECT bucket, version, made_at FROM sales_blocks WHERE tenant_id = $1 AND width = $2", tx.Tenant, topWidth)
	var changed int64 // the account, whose currency may be another now
	if err == nil {
		err = tx.Row("SELECT updated_at FROM tenants WHERE tenant_id = $1", []any{tx.Tenant}, &changed)
	}
	last := int64(-1)
	for i := range list {
		begin := spans.Down(list[i].bucket, topStep)
		if begin == last {
			continue
		}
		last = begin
		var version, orders int64
		for _, s := range list[i:] {
			if s.bucket < begin+topWidth {
				version, orders = version+s.version, orders+s.orders
			}
		}
		switch m, there := known[begin]; {
		case begin+topWidth > tx.Micros() || orders < fewestTop || there && m.version == version && m.at >= changed:
		case there && tx.Micros()-m.at < topPatience.Microseconds():
			later = true
		default:
			due = append(due, begin)
		}
	}
	return due, later, err
}

// makeTop sums a top; ok is false if a SKU in it has no number yet.
func makeTop(tx *db.Tx, currency string, bucket int64) (version int64, body []byte, ok bool, err error) {
	if version, err = prefetchVersion(tx, bucket, bucket+topWidth).Wait(); err != nil {
		return 0, nil, false, err
	}
	m, c := newMerger(tx, currency)
	if err := c.stretch(months, bucket, bucket+topWidth); err != nil || len(c.orderOf) > 0 {
		return 0, nil, false, err
	}
	t, err := m.top()
	if err != nil || t == nil {
		return 0, nil, false, err
	}
	return version, t.encode(), true, nil
}

// top is the top of all sums; nil if amounts are too large for one.
func (m *merger) top() (*top, error) {
	t := &top{currency: m.currency, all: true}
	again := slices.Clone(m.sections)
	var list []numbered
	var left Sum // the greatest amount that is left out
	cut := func() {
		slices.SortFunc(list, func(a, b numbered) int { return cmp.Or(b.compare(a.Sum), cmp.Compare(a.number, b.number)) })
		if len(list) > topSize {
			if out := list[topSize].Sum; t.all || out.compare(left) > 0 {
				left = out
			}
			t.all, list = false, list[:topSize]
		}
	}
	err := m.merge(func(n numbered) {
		t.end = n.number + 1
		if list = append(list, n); len(list) >= 2*topSize {
			cut()
		}
	})
	if cut(); err != nil || left.tooLarge() {
		return nil, err
	}
	sums := make(map[item]Sum, len(list))
	for _, n := range list {
		sums[item{currency: m.currency, number: n.number}] = n.Sum
	}
	t.body = encode(sums)
	if t.all {
		return t, nil
	}
	t.unit = max(1, (left.amount()+mostShare-1)/mostShare)
	t.shares = make([]byte, (t.end+1)/2)
	m.sections = again
	return t, m.merge(func(n numbered) {
		if _, there := sums[item{currency: m.currency, number: n.number}]; !there {
			share := (max(0, n.amount()) + t.unit - 1) / t.unit
			t.shares[n.number/2] |= byte(share << (n.number % 2 * 4))
		}
	})
}

// amount is a sum's amount, if that is not too large.
func (s Sum) amount() int64 { return s.Big*addUp + s.Small }

// tooLarge reports whether an amount may be too large to be added to another such one.
func (s Sum) tooLarge() bool { return max(s.Big, s.Small/addUp) >= math.MaxInt64/addUp/8 }

// foldTops makes tops.
func foldTops(ctx context.Context, store *db.DB, tenant id.Tenant, due []int64) (later bool, err error) {
	for _, bucket := range due {
		ours, err := claim(ctx, store, tenant, topWidth, bucket, topPatience.Microseconds())
		if err != nil {
			return later, err
		}
		var version int64
		var body []byte
		made := false
		if ours {
			err = store.ReadWide(ctx, tenant, func(tx *db.Tx) error {
				var currency string
				err := tx.Row("SELECT currency FROM tenants WHERE tenant_id = $1", []any{tx.Tenant}, &currency)
				if err == nil {
					version, body, made, err = makeTop(tx, currency, bucket)
				}
				return err
			})
		}
		if err == nil && made {
			err = store.Write(ctx, tenant, func(tx *db.Tx) error {
				writeBlock(tx, topWidth, bucket, version, body)
				return nil
			})
		}
		if err != nil {
			return later, err
		}
		later = later || !made
		select {
		case <-ctx.Done():
			return later, ctx.Err()
		case <-time.After(rest):
		}
	}
	return later, nil
}

// verifyTops makes every valid top again and calls each with whether it is the same.
func verifyTops(tx *db.Tx, each func(width, bucket int64, same bool)) error {
	type kept struct {
		bucket, version int64
		body            []byte
	}
	list, err := db.List(tx, func(r db.Rows) (k kept, err error) {
		return k, r.Scan(&k.bucket, &k.version, &k.body)
	}, "SELECT bucket, version, body FROM sales_blocks WHERE tenant_id = $1 AND width = $2 AND version <> $3 ORDER BY bucket",
		tx.Tenant, topWidth, claimed)
	for _, k := range list {
		if err != nil {
			break
		}
		t, broken := decodeTop(k.body)
		version, body, ok, failed := makeTop(tx, t.currency, k.bucket)
		if err = failed; err == nil && ok && version == k.version {
			each(topWidth, k.bucket, broken == nil && bytes.Equal(body, k.body))
		}
	}
	return err
}
