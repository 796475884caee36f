package catalog

import (
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// SetFences lowers the bounds of fences until undo is called.
func SetFences(from int, every int64) (undo func()) {
	wasFrom, wasEvery := fencedFrom, fenceEvery
	fencedFrom, fenceEvery = from, every
	return func() { fencedFrom, fenceEvery = wasFrom, wasEvery }
}

// SetMostLate lowers how many changed products fences are used with.
func SetMostLate(n int) (undo func()) {
	was := mostLate
	mostLate = n
	return func() { mostLate = was }
}

// PageByFences is pageByFences.
func PageByFences(tx *db.Tx, f Filter) ([]id.Product, bool, error) { return f.pageByFences(tx) }

// FencesMade is when an account's fences were made.
func FencesMade(store *db.DB, tenant id.Tenant) time.Time {
	kept, _ := store.Memo().Load(fencesOf(tenant))
	if own, is := kept.(*fenced); is && own.made.Load() > 0 {
		return time.UnixMicro(own.made.Load())
	}
	return time.Time{}
}
