package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"math/big"
	"slices"
	"strings"

	"entrepot/internal/base/money"
)

// Jump is a price that changes by more than half of what it was: most often a column, its decimals or its currency
// was misread.
type Jump struct {
	SKU     string       `json:"sku"`
	Name    string       `json:"name,omitempty"`
	From    money.Amount `json:"from"`
	To      money.Amount `json:"to"`
	Percent int64        `json:"percent"` // of From, below zero for a price that falls
}

// String describes the jump for a message.
func (j Jump) String() string {
	return fmt.Sprintf("%s: %v to %v (%+d %%)", j.SKU, j.From, j.To, j.Percent)
}

// Jumps are the jumps of an import, the largest first. It keeps at most a given number.
type Jumps struct {
	Count int
	List  []Jump
	most  int
}

// KeepJumps is how many of the largest jumps are stored.
func KeepJumps(most int) Jumps { return Jumps{most: most} }

// Add takes the change of a price, and leaves out one that is no jump. A price that was 0 does not jump.
func (j *Jumps) Add(sku, name string, from, to money.Amount) {
	difference := max(to-from, from-to)
	if from <= 0 || difference*2 <= from {
		return
	}
	percent := big.NewInt(int64(to - from))
	percent.Mul(percent, big.NewInt(100)).Quo(percent, big.NewInt(int64(from)))
	j.Count++
	j.List = append(j.List, Jump{SKU: strings.Clone(sku), Name: strings.Clone(name), From: from, To: to, Percent: percent.Int64()})
	if len(j.List) >= 2*j.most {
		j.Sort()
	}
}

// Sort puts the largest jumps first, and drops those beyond KeepJumps.
func (j *Jumps) Sort() {
	slices.SortStableFunc(j.List, func(a, b Jump) int {
		return int(max(-1, min(1, max(b.Percent, -b.Percent)-max(a.Percent, -a.Percent))))
	})
	j.List = j.List[:min(len(j.List), j.most)]
}

const (
	keptJumps  = 10_000 // for the report
	shownJumps = 20     // in a message
	toldJumps  = 1_000  // in the summary
)

// checkJumps compares the prices of the file with those of the service before anything is stored. Jumps that nobody
// has accepted are a *CallError; the report names each, as a note. Once they are accepted it does not search for
// them.
func (r *importRun) checkJumps(ctx context.Context) error {
	if r.To == nil || r.Kind != Products && r.Kind != Prices || r.state.Prepared || r.AcceptJumps {
		return nil
	}
	if err := r.findJumps(ctx); err != nil {
		return err
	}
	if r.DryRun || r.report != nil {
		for _, j := range r.jumps.List {
			if err := r.settleError(place{}.note(j.SKU, "price", "price_jump", "the price changes from %v to %v (%+d %%)", j.From, j.To,
				j.Percent)); err != nil {
				return err
			}
		}
	}
	if r.jumps.Count == 0 || r.DryRun {
		return nil
	}
	var list strings.Builder
	for _, j := range r.jumps.List[:min(len(r.jumps.List), shownJumps)] {
		list.WriteString("\n  " + j.String())
	}
	if more := r.jumps.Count - shownJumps; more > 0 {
		fmt.Fprintf(&list, "\n  and %d more; --report FILE lists them", more)
	}
	return wrongCall("the price jumps by more than half for %d of the file's SKUs; nothing was stored.%s\nIf that is meant, add "+
		"--accept-jumps", r.jumps.Count, list.String())
}

// findJumps reads the prices that the service has, 8 bytes and a hash for each SKU, and then those of the file.
func (r *importRun) findJumps(ctx context.Context) error {
	r.doing("comparing the prices with the present ones")
	r.jumps = KeepJumps(keptJumps)
	seed, present := maphash.MakeSeed(), map[uint64]money.Amount{}
	err := r.To.EachPrice(ctx, func(sku string, price json.Number) error {
		amount, err := money.Parse(string(price))
		if err == nil {
			present[maphash.String(seed, sku)] = amount
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the present prices: %w", err)
	}
	if len(present) == 0 {
		return nil
	}
	type priced struct {
		SKU   string          `json:"sku"`
		Price json.RawMessage `json:"price"`
	}
	compare := func(p priced) {
		from, known := present[maphash.String(seed, p.SKU)]
		to, err := money.Parse(strings.Trim(string(p.Price), `"`))
		if known && err == nil {
			r.jumps.Add(p.SKU, "", from, to)
		}
	}
	err = r.maker.make(ctx, func(p piece) error {
		var item struct {
			priced
			Variants []priced `json:"variants"`
		}
		if p.body == nil || json.Unmarshal(p.body, &item) != nil { // the service says what is wrong with it
			return nil
		}
		compare(item.priced)
		for _, v := range item.Variants {
			compare(v)
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // a file that breaks off does so again when it is sent
	}
	r.jumps.Sort()
	return r.maker.again(ctx)
}
