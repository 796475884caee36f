package imports

import (
	"context"
	"fmt"
	"io"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/pieces"
	"entrepot/internal/db"
)

// SaveFile stores the file of an import that is uploading, each piece in a transaction of its own.
func SaveFile(ctx context.Context, store *db.DB, tenant id.Tenant, which id.Import, file io.Reader) error {
	parts := pieces.NewWriter(func(position int64, body []byte) error {
		return store.Write(ctx, tenant, func(tx *db.Tx) error {
			tx.Queue("INSERT INTO import_parts (tenant_id, import_id, position, body) VALUES ($1, $2::UUID, $3, $4)", tx.Tenant, which, position,
				body)
			return nil
		})
	})
	if _, err := io.Copy(parts, file); err != nil {
		return err
	}
	return parts.Close()
}

// noFile is the error for an import whose file is not stored any more.
func noFile() error {
	return apperr.New(apperr.Conflict, "file_dropped", "the file is not kept any more; choose it again")
}

// WriteFile writes the uploaded file of an import. Each piece is a separate read, so that a slow receiver holds no
// snapshot. Errors: Conflict when it is not stored any more.
func WriteFile(ctx context.Context, store *db.DB, tenant id.Tenant, which id.Import, to io.Writer) error {
	unpacked, err := pieces.NewReader(func(position int64) (body []byte, err error) {
		err = store.Read(ctx, tenant, func(tx *db.Tx) error {
			body = nil
			return tx.Each(func(r db.Rows) error { return r.Scan(&body) },
				"SELECT body FROM import_parts WHERE tenant_id = $1 AND import_id = $2::UUID AND position = $3", tx.Tenant, which, position)
		})
		return body, err
	})
	if err == io.EOF {
		return noFile()
	}
	if err != nil {
		return fmt.Errorf("the file of the import %s: %w", which, err)
	}
	if _, err = io.Copy(to, unpacked); err != nil {
		return fmt.Errorf("the file of the import %s: %w", which, err)
	}
	return nil
}
