package stock

import "entrepot/internal/db"

// Counts are the maintained counts and sums of one warehouse's levels, without deleted ones.
type Counts struct {
	Levels     int64
	OnHand     int64
	Reserved   int64
	OutOfStock int64 // levels with nothing available
	Low        int64 // levels below their threshold
}

// countNames are the stored names of Counts' fields.
var countNames = []string{"levels", "on hand", "reserved", "out of stock", "low"}

func (c *Counts) members() []*int64 {
	return []*int64{&c.Levels, &c.OnHand, &c.Reserved, &c.OutOfStock, &c.Low}
}

// counts are changes of the maintained counts, by warehouse.
type counts map[string]*Counts

// move counts a level's change from before to after; before is the zero Level for a new level.
func (c *counts) move(before, after *Level) {
	if *c == nil {
		*c = counts{}
	}
	into := (*c)[after.Warehouse]
	if into == nil {
		into = new(Counts)
		(*c)[after.Warehouse] = into
	}
	into.add(before, -1)
	into.add(after, 1)
}

func (c *Counts) add(l *Level, sign int64) {
	if !l.living() {
		return
	}
	c.Levels += sign
	c.OnHand += sign * l.OnHand
	c.Reserved += sign * l.Reserved
	if l.out() {
		c.OutOfStock += sign
	}
	if l.Low {
		c.Low += sign
	}
}

// tally queues the changes.
func (c counts) tally(w db.Writer) {
	for warehouse, moved := range c {
		for i, n := range moved.members() {
			w.Tally(countNames[i], warehouse, *n)
		}
	}
}

// prefetchCounts prefetches the maintained counts, by warehouse; a warehouse without levels may be missing.
func prefetchCounts(r db.Reader) func() (map[string]Counts, error) {
	pending := db.PrefetchTallies(r, countNames...)
	return func() (map[string]Counts, error) {
		counts, err := pending.Wait()
		byWarehouse := map[string]Counts{}
		for i, name := range countNames {
			for warehouse, n := range counts[name] {
				c := byWarehouse[warehouse]
				*c.members()[i] = n
				byWarehouse[warehouse] = c
			}
		}
		return byWarehouse, err
	}
}

// sum adds up the counts of all warehouses, or returns those of one.
func sum(counts map[string]Counts, warehouse string) (all Counts) {
	if warehouse != "" {
		return counts[warehouse]
	}
	for _, c := range counts {
		for i, n := range c.members() {
			*all.members()[i] += *n
		}
	}
	return all
}
