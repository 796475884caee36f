// Package exports holds files that jobs write to be downloaded (interface §4.3), and what their rows look like.
//
//	exports.go    an export: its kind, its format, whether its file is ready
//	file.go       the file in pieces, written by the holder of its job's lease only
//	expiry.go     deletes what is past its retention, and all files with persons at an erasure
//	table.go      a file of rows in any format
//	orders.go …   columns and cells of the kinds
//
// An export has the id of its job. Files are in the store and not in a folder, because the node that answers the download
// need not be the one that wrote it.
package exports

import (
	"mime"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/limits"
)

// Kind is what an export has a row for.
type Kind string

// The kinds.
const (
	Orders    Kind = "orders"    // personal data
	Products  Kind = "products"  // and their variants
	Inventory Kind = "inventory" // stock levels
	Customers Kind = "customers" // personal data
)

// Kinds lists them.
var Kinds = []Kind{Orders, Products, Inventory, Customers}

var types = map[Kind]jobs.Type{Orders: jobs.OrderExport, Products: jobs.ProductExport, Inventory: jobs.StockExport,
	Customers: jobs.CustomerExport}

// Type is the type of its jobs.
func (k Kind) Type() jobs.Type { return types[k] }

// Scope is the scope that an export needs, and the download of its file: that of the list.
func (k Kind) Scope() string { return "read:" + string(k) }

// stage is the state of an export.
type stage string

const (
	open  stage = "open"  // its job waits or runs
	ready stage = "ready" // its file can be downloaded until it expires
	gone  stage = "gone"  // the job was stopped or failed, or the file was erased
)

// Keep is how long a file is kept after it is complete, and KeepRow how long its size is known: as long as its job.
const (
	Keep     = 24 * time.Hour
	KeepRow  = 30 * 24 * time.Hour
	keepOpen = 7 * 24 * time.Hour // from its last progress
)

// Export is one export.
type Export struct {
	Tenant    id.Tenant
	ID        id.Job
	Kind      Kind
	Format    Format
	Stage     stage
	Rows      int64 // of the file, without the header; 0 until it is ready
	Size      int64 // of the file in bytes, likewise
	Stored    int64 // bytes of its pieces so far
	CreatedAt int64
	ExpiresAt int64
}

var table = db.NewTable("exports",
	db.Joined("e.tenant_id", func(e *Export) any { return &e.Tenant }),
	db.Col("id", func(e *Export) any { return &e.ID }).Fixed(),
	db.Col("kind", func(e *Export) any { return &e.Kind }).Fixed(),
	db.Col("format", func(e *Export) any { return &e.Format }).Fixed(),
	db.Col("stage", func(e *Export) any { return &e.Stage }),
	db.Col("row_count", func(e *Export) any { return &e.Rows }),
	db.Col("size", func(e *Export) any { return &e.Size }),
	db.Col("stored", func(e *Export) any { return &e.Stored }),
	db.Col("created_at", func(e *Export) any { return &e.CreatedAt }).Fixed(),
	db.Col("expires_at", func(e *Export) any { return &e.ExpiresAt }),
).Of("export")

// Insert queues the export of a new job. Errors: Conflict while as many of the account wait or run, or are kept, as limits
// allow.
func Insert(tx *db.Tx, job id.Job, kind Kind, format Format) error {
	if err := tx.LockName("exports"); err != nil {
		return err
	}
	var running, kept, stored int64
	err := tx.Row("SELECT coalesce(sum(CASE WHEN stage = 'open' THEN 1 ELSE 0 END), 0)::BIGINT, count(*), coalesce(sum(stored), 0)::BIGINT "+
		"FROM exports WHERE tenant_id = $1 AND stage <> 'gone' AND expires_at > $2", []any{tx.Tenant, tx.Micros()}, &running, &kept, &stored)
	switch {
	case err != nil:
		return err
	case running >= limits.MaxExportsOpen:
		return tooMany("%d exports of the account are waiting or running, which is the most: start this one when one of them has ended",
			limits.MaxExportsOpen)
	case kept >= limits.MaxExports:
		return tooMany("the account has %d exports, which is the most: each is kept for a day", limits.MaxExports)
	case stored >= limits.MaxExportsStored:
		return tooMany("the account's exports have %d MB, which is the most: each is kept for a day", int64(limits.MaxExportsStored)>>20)
	}
	table.Insert(tx, Export{ID: job, Kind: kind, Format: format, Stage: open, CreatedAt: tx.Micros(),
		ExpiresAt: tx.Now().Add(keepOpen).UnixMicro()})
	return nil
}

func tooMany(format string, most int64) error {
	return apperr.New(apperr.Conflict, "too_many_exports", format, most)
}

func read(tx *db.Tx, end string, args ...any) ([]Export, error) {
	return db.List(tx, table.Scanner(), "SELECT "+table.Columns("e")+" FROM exports e "+end, args...)
}

// ByID reads an export. Errors: NotFound.
func ByID(tx *db.Tx, which id.Job) (Export, error) {
	return table.First(read(tx, "WHERE e.tenant_id = $1 AND e.id = $2::UUID", tx.Tenant, which))
}

// OfLink reads the export of a link, of whichever account. Errors: NotFound.
func OfLink(tx *db.Tx, which id.Job) (Export, error) {
	return table.First(read(tx, "WHERE e.id = $1::UUID", which))
}

// Attach adds to jobs the results of their exports: how large the files are, and until when they can be downloaded. A job
// without a file gets none.
func Attach(tx *db.Tx, list []jobs.Job) error {
	at := map[id.Job]*jobs.Job{}
	var ids []id.Job
	for i := range list {
		if list[i].Type.IsExport() && list[i].Status == jobs.Completed {
			at[list[i].ID] = &list[i]
			ids = append(ids, list[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	w := db.AndIn(db.NewWhere(tx, "e"), "e.id", ids)
	found, err := read(tx, "WHERE "+w.String()+" AND e.stage = 'ready'", w.Args()...)
	for _, e := range found {
		at[e.ID].Result = &jobs.Result{Rows: e.Rows, Bytes: e.Size, Format: string(e.Format), ExpiresAt: e.ExpiresAt,
			Kept: e.ExpiresAt > tx.Micros()}
	}
	return err
}

// Download is the error of an export whose file cannot be downloaded, or nil.
func (e Export) Download(now time.Time) error {
	switch {
	case e.Stage == open:
		return apperr.New(apperr.Conflict, "export_not_ready", "the export is not complete yet: its job says how far it is")
	case e.Stage == gone || e.ExpiresAt <= now.UnixMicro():
		return apperr.New(apperr.NotFound, "export_gone", "the file is not kept any more: export it again")
	}
	return nil
}

// Gone reports whether it will have no file any more, whoever waits for it.
func (e Export) Gone() bool { return e.Stage == gone }

// Disposition is the header Content-Disposition of its file, which is named by its kind and the day of its job.
func (e Export) Disposition(zone *time.Location) string {
	name := string(e.Kind) + "-" + time.UnixMicro(e.CreatedAt).In(zone).Format(time.DateOnly) + "." + string(e.Format)
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// Place is what a link to the file is signed for.
func (e Export) Place() secretbox.Place {
	return secretbox.Place{Tenant: int64(e.Tenant), Table: "exports", Column: "link", ID: string(e.ID)}
}
