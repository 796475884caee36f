// Package jobs holds work that goes on after its request was answered (interface §2.7.7, §4.3).
//
//	Insert  queues a job in the caller's transaction; Topic wakes the workers of this node once it is committed
//	Claim   gives a worker the jobs that are due, for the time of a lease; who dies loses them to another
//	Hold, Advance, Again, Finish  are for the worker that holds the lease; ErrLost says that another has it now
//
// A job is due until it has ended: every job ends, in one of three ways.
package jobs

import (
	"errors"
	"strings"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Topic is what the store wakes when jobs are committed.
const Topic = "jobs"

// Type is what a job does.
type Type string

// The types.
const (
	ProductImport Type = "product_import" // publishes what a bulk import has stored, then reports that it is done
	ProductPush   Type = "product_push"
	StockPush     Type = "stock_push"
	OrderPull     Type = "order_pull"
	StatusPush    Type = "status_push"
	OrderBulk     Type = "order_bulk"  // moves or ships many orders that a person chose
	FileImport    Type = "file_import" // imports a file of products that a person has given
	FileCheck     Type = "file_check"  // tries what importing it would do
)

// Types and Statuses list them all.
var (
	Types    = []Type{ProductImport, ProductPush, StockPush, OrderPull, StatusPush, OrderBulk, FileImport, FileCheck}
	Statuses = []Status{Pending, Processing, Completed, CompletedWithErrors, Failed}
)

// Scope is the scope that reading a job of this type takes: that of what it carries.
func (t Type) Scope() string {
	switch t {
	case ProductImport, ProductPush, FileImport, FileCheck:
		return "read:products"
	case StockPush:
		return "read:inventory"
	}
	return "read:orders"
}

// Status is where a job stands (interface §3.2).
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
	ChannelName string     // read with it, as ChannelType; "" for none
	ChannelType string
	Status      Status
	Total       int64 // items
	Processed   int64
	Created     int64
	Updated     int64
	Failed      int64
	Errors      string // JSON array of error entries (interface §2.7.4)
	Input       string // JSON: what is to be done
	Cursor      string // how far it is done
	Tries       int64  // leases given so far; it names the lease
	DueAt       int64  // when to run, or when the lease ends; 0 once ended
	CreatedAt   int64
	StartedAt   int64
	CompletedAt int64
}

// Progress is how much is done, in percent.
func (j Job) Progress() int64 {
	switch {
	case j.CompletedAt != 0 && j.Status != Failed:
		return 100
	case j.Total == 0:
		return 0
	}
	return min(100, j.Processed*100/j.Total)
}

// Insert queues a new job, due now. What is left empty gets its beginning: an id, PENDING, no errors.
func Insert(tx db.GuardedWriter, j Job) Job {
	if j.ID == "" {
		j.ID = id.New[id.Job]()
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
	j.Tenant, j.CreatedAt, j.DueAt = tx.TenantID(), tx.Micros(), tx.Micros()
	if j.Status == Processing {
		j.StartedAt = tx.Micros()
	}
	table.Insert(tx, j)
	tx.Wake(Topic)
	return j
}

// read reads jobs with their channels, chosen and sorted by the end of a statement.
func read(tx *db.Tx, end string, args ...any) ([]Job, error) {
	return db.List(tx, table.Scanner(), "SELECT "+table.Columns("j")+
		" FROM jobs j LEFT JOIN channels c ON c.tenant_id = j.tenant_id AND c.id = j.channel_id "+end, args...)
}

// ByID reads one job. Errors: NotFound.
func ByID(tx *db.Tx, job id.Job) (Job, error) {
	return table.First(read(tx, "WHERE j.tenant_id = $1 AND j.id = $2", tx.Tenant, job))
}

// Active are the jobs of channels that have not ended, oldest first, at most limit.
func Active(tx *db.Tx, limit int) ([]Job, error) {
	return read(tx, "WHERE j.tenant_id = $1 AND j.due_at IS NOT NULL AND "+ofSync+" ORDER BY j.id LIMIT $2::BIGINT", tx.Tenant,
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

// ErrLost says that the job is no longer this worker's: its lease ended and another took it, or it has ended.
var ErrLost = errors.New("jobs: the lease is lost")

// Hold queues that a job is held for a lease from now on.
func Hold(tx db.Writer, j Job, lease time.Duration) {
	held(tx, "UPDATE jobs SET due_at = $4", j, tx.Now().Add(lease).UnixMicro())
}

// outcome is what of a job's row moves while it is worked on; its arguments begin with $4.
const outcome = "UPDATE jobs SET processed = $4, created = $5, updated = $6, failed = $7, errors = $8, cursor = $9"

func (j *Job) outcome() []any {
	return []any{j.Processed, j.Created, j.Updated, j.Failed, j.Errors, j.Cursor}
}

// Advance queues how far a job is, and holds it for another lease.
func Advance(tx db.Writer, j Job, lease time.Duration) {
	held(tx, outcome+", due_at = $10", j, append(j.outcome(), tx.Now().Add(lease).UnixMicro())...)
}

// Again queues that a job is given back and runs again at a time, from its cursor.
func Again(tx db.Writer, j Job, at time.Time) {
	held(tx, outcome+", due_at = $10, status = 'PENDING'", j, append(j.outcome(), at.UnixMicro())...)
}

// Finish queues the end of a job: COMPLETED or COMPLETED_WITH_ERRORS by its errors, FAILED when failed says so. It gives the
// job as it ends.
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

// held queues an update of a job that the caller still holds.
func held(tx db.Writer, set string, j Job, args ...any) {
	tx.Queue(set+" WHERE tenant_id = $1 AND id = $2 AND tries = $3 AND due_at IS NOT NULL",
		append([]any{tx.TenantID(), j.ID, j.Tries}, args...)...).Rows(1, ErrLost)
}
