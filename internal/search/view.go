package search

import (
	"strconv"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/view"
)

// Bounds of packing.
const (
	packAt    = 2048 // changed records from which packing is worth its cost
	packStep  = 2048 // records packed in one transaction
	packReach = 32   // blocks written in one transaction
)

// Blocks are the views, by kind: the blocks of texts, and their groups. Orders and customers follow the event log.
// Other changes are stored unpacked and wait for Tidy, which also groups the blocks. All kinds share one lock, because
// an erasure writes blocks of several kinds.
var Blocks = map[Kind]*view.View{Orders: blocksOf(Orders), Customers: blocksOf(Customers), Products: blocksOf(Products),
	Categories: blocksOf(Categories)}

func blocksOf(kind Kind) *view.View {
	v := &view.View{
		Name:  "search of " + string(kind),
		Group: "search blocks",
		Due: "EXISTS (SELECT 1 FROM search_loose e WHERE e.tenant_id = t.tenant_id AND e.kind = '" + string(kind) +
			"' ORDER BY e.id LIMIT 1 OFFSET " + strconv.Itoa(packAt-1) + ")",
		Every: 5 * time.Second,
		Worth: 512,
		Least: packStep,
		Most:  packStep,
		Step:  func(tx *db.Tx, from, to int64) error { return packLogged(tx, kind, from, to) },
		Tidy: func(tx *db.Tx, _ int, all bool) (more bool, err error) {
			least := packAt
			if all {
				least = 1
			}
			n, err := packSome(tx, kind, least)
			if err == nil && n == 0 {
				n, err = dissolve(tx, kind)
			}
			if err == nil && n == 0 {
				n, err = group(tx, kind)
			}
			return n > 0, err
		},
	}
	if kind.follows() {
		v.Feeds = []view.Feed{{Table: "events", Stamp: "stamp", Where: kind.InLog()}}
	}
	return v
}
