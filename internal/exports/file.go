package exports

import (
	"context"
	"errors"
	"fmt"
	"io"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/pieces"
	"entrepot/internal/db"
)

// The functions that write a file are for the holder of its job's lease, in a transaction that fails when the lease is lost.

// Begin reads an export that is to be written and deletes some pieces of an earlier try; more reports that there may be
// others. Errors: NotFound, also when it was stopped or erased.
func Begin(tx *db.Tx, which id.Job) (more bool, err error) {
	n, err := tx.Exec("UPDATE exports SET stored = 0, expires_at = $3 WHERE tenant_id = $1 AND id = $2::UUID AND stage = 'open'", tx.Tenant,
		which, tx.Now().Add(keepOpen).UnixMicro())
	if err == nil && n == 0 {
		err = apperr.Missing("export")
	}
	if err != nil {
		return false, err
	}
	n, err = tx.Exec("DELETE FROM export_parts WHERE tenant_id = $1 AND export_id = $2::UUID AND position IN (SELECT position FROM export_parts "+
		"WHERE tenant_id = $1 AND export_id = $2::UUID LIMIT $3::BIGINT)", tx.Tenant, which, partsAtOnce)
	return n == partsAtOnce, err
}

// SavePart queues a piece of a file. The transaction fails with NotFound when the export was stopped or erased.
func SavePart(tx db.Writer, which id.Job, position int64, body []byte) {
	tx.Queue("UPDATE exports SET stored = stored + $3, expires_at = $4 WHERE tenant_id = $1 AND id = $2::UUID AND stage = 'open'", tx.TenantID(),
		which, len(body), tx.Now().Add(keepOpen).UnixMicro()).Rows(1, apperr.Missing("export"))
	tx.Queue("INSERT INTO export_parts (tenant_id, export_id, position, body) VALUES ($1, $2::UUID, $3, $4)", tx.TenantID(), which, position,
		body)
}

// Finish queues that the file is complete; from then on it can be downloaded. Errors as those of SavePart.
func Finish(tx db.Writer, which id.Job, rows, size int64) {
	tx.Queue("UPDATE exports SET stage = 'ready', row_count = $3, size = $4, expires_at = $5 WHERE tenant_id = $1 AND id = $2::UUID AND stage = 'open'",
		tx.TenantID(), which, rows, size, tx.Now().Add(Keep).UnixMicro()).Rows(1, apperr.Missing("export"))
}

// Drop queues that nobody can download the file of an export from now on: its job was stopped or has failed, or a caller deletes
// it. Its pieces are deleted within a minute or so (DeleteExpired).
func Drop(tx db.Writer, which id.Job) {
	tx.Queue("UPDATE exports SET stage = 'gone', expires_at = $3 WHERE tenant_id = $1 AND id = $2::UUID AND stage <> 'gone'", tx.TenantID(), which,
		tx.Micros())
}

// WriteFile writes the file of an export. Each piece is a separate read, so that a slow receiver holds no snapshot. Errors:
// those of the store and of to; io.ErrUnexpectedEOF when the file is deleted meanwhile.
func WriteFile(ctx context.Context, store *db.DB, e Export, to io.Writer) error {
	unpacked, err := pieces.NewReader(func(position int64) (body []byte, err error) {
		err = store.Read(ctx, e.Tenant, func(tx *db.Tx) error {
			body = nil
			return tx.Each(func(r db.Rows) error { return r.Scan(&body) },
				"SELECT body FROM export_parts WHERE tenant_id = $1 AND export_id = $2::UUID AND position = $3", tx.Tenant, e.ID, position)
		})
		return body, err
	})
	var n int64
	if err == nil {
		n, err = io.Copy(to, unpacked)
	}
	if errors.Is(err, io.EOF) || err == nil && n != e.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("the file of the export %s: %w", e.ID, err)
	}
	return nil
}
