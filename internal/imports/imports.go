// Package imports stores uploaded files of products, prices, stock, orders and tracking numbers, how each is to be read, and the outcome of their rows.
//
//	imports.go  an import and its stages
//	parts.go    its file, in pieces
//	lines.go    the refused rows, and notes
//	expiry.go   deletes what is past its retention, and a person's data at an erasure
//
// Files are in the store and not in a folder, because the node that runs the job need not be the one that received the file.
// A job works on an import; only the holder of the job's lease changes its stage.
package imports

import (
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// Kind is the kind of records in a file.
type Kind string

// The kinds.
const (
	Products Kind = "products"
	Orders   Kind = "orders" // personal data
	Prices   Kind = "prices" // of products that exist
	Stock    Kind = "stock"  // likewise

	Shipments Kind = "shipments" // tracking numbers of orders
)

// Stage is the state of an import.
type Stage string

// The stages. Uploading means that the file is not complete yet, Gone that the import was discarded: no read shows
// these.
const (
	Uploading Stage = "uploading"
	New       Stage = "new"      // its columns are being chosen
	Checking  Stage = "checking" // a job runs the dry run
	Checked   Stage = "checked"
	Running   Stage = "running" // a job imports it
	Stopped   Stage = "stopped" // by a person; it can go on
	Broken    Stage = "failed"  // likewise
	Done      Stage = "done"
	Gone      Stage = "gone"
)

// How long an import is stored after its last change: a file that is not imported yet, and one that was.
const (
	KeepUpload = time.Hour
	KeepFile   = 7 * 24 * time.Hour
	KeepDone   = 30 * 24 * time.Hour
)

// Import is one file and its outcome.
type Import struct {
	ID        id.Import
	Kind      Kind
	Name      string
	Size      int64   // bytes of the file
	User      id.User // for whom it is imported
	Stage     Stage
	Options   string // JSON: how to read the file
	Found     string // JSON: what was detected of it
	Checked   string // JSON: result of the dry run; "" before it
	Progress  string // JSON: progress of the import; "" before it
	Stop      bool   // a person has asked to stop it
	Failure   string // why it failed
	Job       id.Job // the last that worked on it; "" for none
	CreatedAt int64
	ChangedAt int64
	ExpiresAt int64
}

// UnderWay reports whether a job works on it.
func (i Import) UnderWay() bool { return i.Stage == Checking || i.Stage == Running }

var table = db.NewTable("imports",
	db.Col("id", func(i *Import) any { return &i.ID }).Fixed(),
	db.Col("kind", func(i *Import) any { return &i.Kind }).Fixed(),
	db.Col("name", func(i *Import) any { return &i.Name }).Fixed(),
	db.Col("size", func(i *Import) any { return &i.Size }),
	db.Col("user_id", func(i *Import) any { return &i.User }).Null(),
	db.Col("stage", func(i *Import) any { return &i.Stage }),
	db.Col("options", func(i *Import) any { return &i.Options }),
	db.Col("found", func(i *Import) any { return &i.Found }),
	db.Col("checked", func(i *Import) any { return &i.Checked }),
	db.Col("progress", func(i *Import) any { return &i.Progress }),
	db.Col("stop", func(i *Import) any { return &i.Stop }),
	db.Col("failure", func(i *Import) any { return &i.Failure }),
	db.Col("job_id", func(i *Import) any { return &i.Job }).Null(),
	db.Col("created_at", func(i *Import) any { return &i.CreatedAt }).Fixed(),
	db.Col("changed_at", func(i *Import) any { return &i.ChangedAt }),
	db.Col("expires_at", func(i *Import) any { return &i.ExpiresAt }),
).Of("import")

const shown = "AND stage <> 'uploading' AND stage <> 'gone' "

// Insert queues a new import whose file of a size follows. It returns the import with its id. Errors: Conflict when
// the files of the account that are not imported would have more than limits.MaxImports bytes.
func Insert(tx *db.Tx, kind Kind, name string, size int64, user id.User) (Import, error) {
	if err := tx.LockName("imports"); err != nil {
		return Import{}, err
	}
	var held int64
	err := tx.Row("SELECT coalesce(sum(size), 0)::BIGINT FROM imports WHERE tenant_id = $1 AND stage <> 'done' AND stage <> 'gone'",
		[]any{tx.Tenant}, &held)
	if err == nil && held+size > limits.MaxImports {
		err = apperr.New(apperr.Conflict, "too_many_imports", "the files that are not imported yet have %d MB, and %d MB is the most of an "+
			"account: import or discard one of them first", held>>20, limits.MaxImports>>20)
	}
	if err != nil {
		return Import{}, err
	}
	i := Import{ID: id.New[id.Import](), Kind: kind, Name: name, Size: size, User: user, Stage: Uploading, Options: "{}", Found: "{}",
		CreatedAt: tx.Micros(), ChangedAt: tx.Micros(), ExpiresAt: tx.Now().Add(KeepUpload).UnixMicro()}
	table.Insert(tx, i)
	return i, nil
}

// ByID reads an import. Errors: NotFound, also of one that is uploading or discarded.
func ByID(tx *db.Tx, which id.Import) (Import, error) {
	return table.First(table.All(tx, shown+"AND id = $2::UUID", which))
}

// OfJob reads the import that a job works on. Errors: NotFound.
func OfJob(tx *db.Tx, job id.Job) (Import, error) {
	return table.First(table.All(tx, shown+"AND job_id = $2::UUID", job))
}

// List reads the newest imports of the account of a kind.
func List(tx *db.Tx, kind Kind, limit int) ([]Import, error) {
	return table.All(tx, shown+"AND kind = $2 ORDER BY id DESC LIMIT $3::BIGINT", string(kind), limit)
}

// LastChange is when an import of the account changed last, in microseconds; 0 without imports.
func LastChange(tx *db.Tx) (at int64, err error) {
	return at, tx.Row("SELECT coalesce(max(changed_at), 0) FROM imports WHERE tenant_id = $1", []any{tx.Tenant}, &at)
}

// Update queues an import in its present state, unless its stage has changed since it was read: then the transaction
// fails with Conflict. An unused import is stored for KeepFile, a completed one for KeepDone.
func (i Import) Update(tx db.Writer, was Stage) {
	i.ChangedAt = tx.Micros()
	keep := KeepFile
	switch i.Stage {
	case Done:
		keep = KeepDone
	case Gone:
		keep = 0
	}
	i.ExpiresAt = tx.Now().Add(keep).UnixMicro()
	table.Update(tx, &i, "id = $2::UUID AND stage = $3", i.ID, string(was)).Rows(1, Changed())
}

// Changed is the error of what an import in another stage does not allow.
func Changed() error {
	return apperr.New(apperr.Conflict, "import_changed", "the import has gone on meanwhile")
}

// RequestStop queues a request to stop an import. It changes nothing if no job works on it.
func RequestStop(tx db.Writer, which id.Import) {
	tx.Queue("UPDATE imports SET stop = TRUE WHERE tenant_id = $1 AND id = $2::UUID AND stage IN ('checking', 'running')", tx.TenantID(),
		which)
}

// StopRequested reports whether an import is to stop, or was deleted.
func StopRequested(tx *db.Tx, which id.Import) (bool, error) {
	var going int64
	err := tx.Row("SELECT count(*) FROM imports WHERE tenant_id = $1 AND id = $2::UUID AND NOT stop AND stage IN ('checking', 'running')",
		[]any{tx.Tenant, which}, &going)
	return going == 0, err
}

// Require has the transaction fail with NotFound if an import is gone when it commits: what its file says must not be
// stored any more. An erasure, which deletes files of orders, waits for the transaction.
func Require(w db.Writer, which id.Import) {
	w.Require(1, apperr.Missing("import"), "SELECT 1 FROM imports WHERE tenant_id = $1 AND id = $2::UUID"+string(db.ForShare), w.TenantID(),
		which)
}

// LockUnderWay locks the account's imports that jobs work on. They come before these jobs.
func LockUnderWay(tx *db.Tx) error {
	return tx.Each(func(r db.Rows) error { return r.Scan(new(id.Import)) },
		"SELECT id FROM imports WHERE tenant_id = $1 AND stage IN ('checking', 'running') ORDER BY id FOR UPDATE", tx.Tenant)
}

// SaveProgress queues the progress of an import. The transaction fails with NotFound when the import was deleted.
func SaveProgress(tx db.Writer, which id.Import, progress string) {
	tx.Queue("UPDATE imports SET progress = $3, changed_at = $4, expires_at = $5 WHERE tenant_id = $1 AND id = $2::UUID", tx.TenantID(), which,
		progress, tx.Micros(), tx.Now().Add(KeepFile).UnixMicro()).Rows(1, apperr.Missing("import"))
}
