package sales

import (
	"maps"
	"math/rand"
	"testing"
)

// BenchmarkMergeYear merges a year of an account that sells 80,000 lines a month of a million SKUs.
func BenchmarkMergeYear(b *testing.B) {
	dice := rand.New(rand.NewSource(1))
	block := func(lines int) []byte {
		sums := map[item]Sum{}
		for range lines {
			into(sums)(item{currency: "EUR", number: min(dice.Int63n(1_000_000), dice.Int63n(1_000_000))},
				Sum{1 + dice.Int63n(3), 0, (1 + dice.Int63n(60_000)) * 10_000})
		}
		return encode(sums)
	}
	var blocks [][]byte
	size := 0
	for i := range 12 + 30 {
		lines := 80_000
		if i >= 12 {
			lines = 2_700
		}
		blocks = append(blocks, block(lines))
		size += len(blocks[i])
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		m := merger{currency: "EUR"}
		for _, body := range blocks {
			if err := m.take(body); err != nil {
				b.Fatal(err)
			}
		}
		best := ranking{most: 20}
		if err := m.merge(best.add); err != nil || len(best.chosen()) < 20 {
			b.Fatal(len(best.list), err)
		}
	}
}

// A merge has the sums of all blocks, of every currency and of any size.
func TestMergeAddsUpAllBlocks(t *testing.T) {
	dice := rand.New(rand.NewSource(2))
	want := map[int64]Sum{}
	m := merger{currency: "EUR", lines: map[int64]Sum{5: {1, 2, 3}, 3 * window: {4, 5, 6}}}
	for number, s := range m.lines {
		want[number] = s
	}
	for range 4 {
		sums := map[item]Sum{}
		for range 3000 {
			i := item{currency: []string{"EUR", "USD", "CHF"}[dice.Intn(3)], number: dice.Int63n(2*window + 100)}
			s := Sum{1 + dice.Int63n(1<<dice.Intn(40)), dice.Int63n(1<<dice.Intn(50)) - 500, dice.Int63n(1<<dice.Intn(30)) - 500}
			into(sums)(i, s)
			if i.currency != "EUR" {
				s.Big, s.Small = 0, 0
			}
			sum := want[i.number]
			sum.add(s)
			want[i.number] = sum
		}
		if err := m.take(encode(sums)); err != nil {
			t.Fatal(err)
		}
	}
	got, last := map[int64]Sum{}, int64(-1)
	err := m.merge(func(n numbered) {
		if n.number <= last {
			t.Errorf("%d comes after %d", n.number, last)
		}
		last, got[n.number] = n.number, n.Sum
	})
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %d sums, not %d", err, len(got), len(want))
	}
}

// A block that is cut off, or claims more sums than it has, is an error.
func TestBrokenBlocksAreErrors(t *testing.T) {
	whole := encode(map[item]Sum{{currency: "EUR", number: 7}: {300, -1, 70_000}, {currency: "USD", number: 9}: {1, 0, 5}})
	for n := 1; n < len(whole); n++ {
		if decode(whole[:n], func(item, Sum) {}) == nil && n != len(encode(map[item]Sum{{currency: "EUR", number: 7}: {300, -1, 70_000}})) {
			t.Errorf("%d of %d bytes are no error", n, len(whole))
		}
	}
}

// Of many equal sums, some are chosen; of greater sums, all are.
func TestRankingOfEqualSums(t *testing.T) {
	r := ranking{most: 3}
	for number := range int64(20_000) {
		quantity := int64(1)
		if number == 19_000 {
			quantity = 2
		}
		r.add(numbered{number, Sum{Quantity: quantity}})
	}
	got := r.chosen()
	if len(got) != mostTies+1 || got[mostTies].number != 19_000 || got[mostTies-1].number != mostTies-1 {
		t.Errorf("%d chosen, the last are %v", len(got), got[max(0, len(got)-2):])
	}
}
