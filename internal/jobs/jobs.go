// Package jobs holds work that continues after its request was answered (interface §2.7.7, §4.3).
//
//	Insert  queues a job in the caller's transaction; Topic wakes the workers of this node after the commit
//	Claim   leases due jobs to a worker; the jobs of a worker that dies go to another
//	Hold, Advance, Again, Finish  are for the worker that holds the lease; ErrLost means that another has it now
//
// A job is due until it has ended: every job ends, with one of three statuses. An operation (operation.go) is a job that no list shows and
// that is deleted at its end.
package jobs

import (
	"errors"
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Topic is the topic on which the store wakes loops when jobs are committed.
const Topic = "jobs"

// MaxErrors is how many errors a job keeps.
const MaxErrors = 100

// Type is the kind of work of a job.
type Type string

// The types.
const (
	ProductImport Type = "product_import" // publishes what a bulk import has stored, then reports the end of the import
	ProductPush   Type = "product_push"
	StockPush     Type = "stock_push"
	OrderPull     Type = "order_pull"
	StatusPush    Type = "status_push"
	OrderBulk     Type = "order_bulk"   // changes many orders that a person chose
	ProductBulk   Type = "product_bulk" // changes many products that a caller chose
	FileImport    Type = "file_import"  // imports a file of products
	FileCheck     Type = "file_check"   // reports what importing a file would change

	OrderFileImport Type = "order_file_import" // imports a file of orders
	OrderFileCheck  Type = "order_file_check"
	PriceFileImport Type = "price_file_import" // imports a price list
	PriceFileCheck  Type = "price_file_check"
	StockFileImport Type = "stock_file_import" // imports a stock list
	StockFileCheck  Type = "stock_file_check"

	ShipmentFileImport Type = "shipment_file_import" // ships orders by a file of tracking numbers
	ShipmentFileCheck  Type = "shipment_file_check"

	OrderExport    Type = "order_export" // writes a file to be downloaded
	ProductExport  Type = "product_export"
	StockExport    Type = "stock_export"
	CustomerExport Type = "customer_export"
)

// Types lists the types of the jobs that are shown, Statuses all statuses.
var (
	Types = []Type{ProductImport, ProductPush, StockPush, OrderPull, StatusPush, OrderBulk, ProductBulk, FileImport, FileCheck,
		OrderFileImport, OrderFileCheck, PriceFileImport, PriceFileCheck, StockFileImport, StockFileCheck, ShipmentFileImport, ShipmentFileCheck,
		OrderExport, ProductExport, StockExport, CustomerExport}
	Statuses = []Status{Pending, Processing, Completed, CompletedWithErrors, Failed}
)

// Scope is the scope needed to read a job of this type: that of its resource.
func (t Type) Scope() string {
	switch t {
	case ProductImport, ProductPush, ProductBulk, FileImport, FileCheck, PriceFileImport, PriceFileCheck, ProductExport:
		return "read:products"
	case StockPush, StockFileImport, StockFileCheck, StockExport:
		return "read:inventory"
	case CustomerExport:
		return "read:customers"
	}
	return "read:orders"
}

// OfFile reports whether the job reads an uploaded file.
func (t Type) OfFile() bool {
	return t == FileImport || t == OrderFileImport || t == PriceFileImport || t == StockFileImport ||
		t == ShipmentFileImport || t.DryRun()
}

// IsExport reports whether the job writes a file to be downloaded.
func (t Type) IsExport() bool {
	return t == OrderExport || t == ProductExport || t == StockExport || t == CustomerExport
}

// WaitsForOthers reports whether a job checks the work of others, again and again, until that has ended: an import onto a
// channel.
func (j Job) WaitsForOthers() bool { return j.Type == ProductImport && j.Channel != "" }

// DryRun reports whether the job only finds out what importing a file would do.
func (t Type) DryRun() bool {
	return t == FileCheck || t == OrderFileCheck || t == PriceFileCheck || t == StockFileCheck ||
		t == ShipmentFileCheck
}

// Status is the state of a job (interface §3.2).
type Status string

// The statuses; the last three are ends.
const (
	Pending             Status = "PENDING"
	Processing          Status = "PROCESSING"
	Completed           Status = "COMPLETED"
	CompletedWithErrors Status = "COMPLETED_WITH_ERRORS"
	Failed              Status = "FAILED"
)

// Job is one piece of work.
type Job struct {
	Tenant      id.Tenant
	ID          id.Job
	Type        Type
	Channel     id.Channel // "" for none
	ChannelName string     // read from the channel, as ChannelType is; "" for none
	ChannelType string
	Subject     id.Record // of an operation: the id of the record that it is about; "" for jobs that are shown
	Status      Status
	Total       int64 // items
	Processed   int64
	Created     int64
	Updated     int64
	Failed      int64
	Errors      string // JSON array of error entries (interface §2.7.4)
	Input       string // JSON: what to do
	Cursor      string // what is done so far
	Tries       int64  // number of leases so far, which identifies the lease
	DueAt       int64  // when it runs, or when its lease ends; 0 after its end
	CreatedAt   int64
	StartedAt   int64
	CompletedAt int64

	Result *Result // of an export that is done; read with the job where it is shown
}

// Result is the file that an export has written.
type Result struct {
	Rows      int64 // without the header
	Bytes     int64
	Format    string
	ExpiresAt int64  // when the file is deleted, in microseconds
	Kept      bool   // it is not deleted yet
	URL       string // where the file is downloaded without a key; "" for callers who may not download it
}

// Author is who makes the changes of a job that nobody waits for: the channel, if it has one.
func (j Job) Author() db.Author {
	if j.Channel == "" {
		return db.Author{}
	}
	return db.Author{Actor: "channel:" + string(j.Channel), Name: j.ChannelName}
}

// Progress is how much is done, in percent.
func (j Job) Progress() int64 {
	switch {
	case j.CompletedAt != 0 && j.Status != Failed && j.Processed >= j.Total:
		return 100
	case j.Total == 0:
		return 0
	}
	return min(100, j.Processed*100/j.Total)
}

// Insert queues a new job, due now or later if DueAt says so. Empty members get their initial values: an id, PENDING,
// no errors.
func Insert(tx db.Writer, j Job) Job {
	if j.ID == "" {
		j.ID = id.At[id.Job](tx.Micros())
	}
	if j.Status == "" {
		j.Status = Pending
	}
	if j.Errors == "" {
		j.Errors = "[]"
	}
	if j.Input == "" {
		j.Input = "{}"
	}
	j.Tenant, j.CreatedAt, j.DueAt = tx.TenantID(), tx.Micros(), max(j.DueAt, tx.Micros())
	if j.Status == Processing {
		j.StartedAt = tx.Micros()
	}
	table.Insert(tx, j)
	tx.Wake(Topic)
	return j
}

// read reads jobs with their channels; end is the end of the statement.
func read(tx *db.Tx, end string, args ...any) ([]Job, error) {
	return db.List(tx, table.Scanner(), "SELECT "+table.Columns("j")+
		" FROM jobs j LEFT JOIN channels c ON c.tenant_id = j.tenant_id AND c.id = j.channel_id "+end, args...)
}

// ByID reads one job. Errors: NotFound, also for an operation.
func ByID(tx *db.Tx, job id.Job) (Job, error) {
	return table.First(read(tx, "WHERE j.tenant_id = $1 AND j.id = $2 AND j."+isShown, tx.Tenant, job))
}

// Active are the jobs of channels that have not ended, oldest first, at most limit.
func Active(tx *db.Tx, limit int) ([]Job, error) {
	return read(tx, "WHERE j.tenant_id = $1 AND j.due_at IS NOT NULL AND j."+isShown+" AND "+ofSync+" ORDER BY j.id LIMIT $2::BIGINT", tx.Tenant,
		limit)
}

// Last is the job of a channel that ended last, nil when none has.
func Last(tx *db.Tx) (*Job, error) {
	list, err := read(tx, "WHERE j.tenant_id = $1 AND j.completed_at IS NOT NULL AND "+ofSync+" "+
		"ORDER BY j.completed_at DESC, j.id DESC LIMIT 1", tx.Tenant)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// ErrLost means that the job is no longer this worker's: its lease ended and another took it, or it has ended.
var ErrLost = errors.New("jobs: the lease is lost")

// Hold queues a new lease for a job. One that was released meanwhile runs when it was to.
func Hold(tx db.Writer, j Job, lease time.Duration) {
	held(tx, "UPDATE jobs SET due_at = CASE status WHEN 'PROCESSING' THEN $4 ELSE due_at END", j, tx.Now().Add(lease).UnixMicro())
}

// outcome updates the progress of a job's row; its arguments begin with $4.
const outcome = "UPDATE jobs SET processed = $4, created = $5, updated = $6, failed = $7, errors = $8, cursor = $9"

func (j *Job) outcome() []any {
	return []any{j.Processed, j.Created, j.Updated, j.Failed, j.Errors, j.Cursor}
}

// Advance queues the progress of a job, and a new lease.
func Advance(tx db.Writer, j Job, lease time.Duration) {
	held(tx, outcome+", due_at = $10", j, append(j.outcome(), tx.Now().Add(lease).UnixMicro())...)
}

// Again queues that a job is released and runs again at a time, from its cursor.
func Again(tx db.Writer, j Job, at time.Time) {
	held(tx, outcome+", due_at = $10, status = 'PENDING'", j, append(j.outcome(), at.UnixMicro())...)
}

// Finish queues the end of a job: FAILED if failed is set, otherwise COMPLETED or COMPLETED_WITH_ERRORS by its errors.
// It returns the ended job.
func Finish(tx db.Writer, j Job, failed bool) Job {
	switch {
	case failed:
		j.Status = Failed
	case j.Failed > 0 || strings.Contains(j.Errors, "{"):
		j.Status = CompletedWithErrors
	default:
		j.Status = Completed
	}
	if !failed {
		j.Processed = j.Total
	}
	j.CompletedAt, j.DueAt = tx.Micros(), 0
	if j.StartedAt == 0 {
		j.StartedAt = j.CompletedAt
	}
	held(tx, outcome+", status = $10, started_at = $11, completed_at = $12, due_at = NULL", j,
		append(j.outcome(), j.Status, j.StartedAt, j.CompletedAt)...)
	return j
}

// held queues an update of a job whose lease the caller holds.
func held(tx db.Writer, set string, j Job, args ...any) {
	tx.Queue(set+" WHERE tenant_id = $1 AND id = $2 AND tries = $3 AND due_at IS NOT NULL",
		append([]any{tx.TenantID(), j.ID, j.Tries}, args...)...).Rows(1, ErrLost)
}
