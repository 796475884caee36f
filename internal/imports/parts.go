package imports

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// partSize is the largest piece of a file in bytes, compressed: small enough that writing one delays no other writer.
const partSize = 256 << 10

// SaveFile stores the file of an import that is uploading, each piece in a transaction of its own.
func SaveFile(ctx context.Context, store *db.DB, tenant id.Tenant, which id.Import, file io.Reader) error {
	parts := &partWriter{save: func(position int64, body []byte) error {
		return store.Write(ctx, tenant, func(tx *db.Tx) error {
			tx.Queue("INSERT INTO import_parts (tenant_id, import_id, position, body) VALUES ($1, $2::UUID, $3, $4)", tx.Tenant, which, position,
				body)
			return nil
		})
	}}
	packed := gzip.NewWriter(parts)
	if _, err := io.Copy(packed, file); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return parts.flush()
}

// partWriter divides what is written into pieces.
type partWriter struct {
	save     func(position int64, body []byte) error
	position int64
	rest     []byte
}

// Write implements io.Writer.
func (w *partWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for len(w.rest) >= partSize {
		if err := w.save(w.position, bytes.Clone(w.rest[:partSize])); err != nil {
			return 0, err
		}
		w.position++
		w.rest = append(w.rest[:0], w.rest[partSize:]...)
	}
	return len(p), nil
}

func (w *partWriter) flush() error {
	if len(w.rest) == 0 {
		return nil
	}
	return w.save(w.position, w.rest)
}

// noFile is the error for an import whose file is not stored any more.
func noFile() error {
	return apperr.New(apperr.Conflict, "file_dropped", "the file is not kept any more; choose it again")
}

// WriteFile writes the uploaded file of an import. Each piece is a separate read, so that a slow receiver holds no
// snapshot. Errors: Conflict when it is not stored any more.
func WriteFile(ctx context.Context, store *db.DB, tenant id.Tenant, which id.Import, to io.Writer) error {
	unpacked, err := gzip.NewReader(&partReader{read: func(position int64) (body []byte, err error) {
		err = store.Read(ctx, tenant, func(tx *db.Tx) error {
			body = nil
			return tx.Each(func(r db.Rows) error { return r.Scan(&body) },
				"SELECT body FROM import_parts WHERE tenant_id = $1 AND import_id = $2::UUID AND position = $3", tx.Tenant, which, position)
		})
		return body, err
	}})
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

// partReader reads the pieces one after the other.
type partReader struct {
	read     func(position int64) ([]byte, error)
	position int64
	rest     []byte
}

// Read implements io.Reader.
func (r *partReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		body, err := r.read(r.position)
		if err != nil {
			return 0, err
		}
		if len(body) == 0 {
			return 0, io.EOF
		}
		r.rest = bytes.Clone(body)
		r.position++
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
