// Package media knows the pictures that accounts have uploaded, and the names of their files.
//
//	Picture   an uploaded picture
//	Store     notes one, within the account's bounds
//	Before    lists those of a time, Delete forgets them
//
// A file is named after its account and its content, so that it never changes under its name, and that no account can
// find out what others have.
package media

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/picture"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// Path begins the path of a picture's address: /media/<name>.
const Path = "/media/"

// small is how the name of the small picture differs from that of the whole one.
const small = "-small"

// Picture is an uploaded picture.
type Picture struct {
	Name       string // of its file
	Bytes      int64  // of its file and of the small one
	Width      int64
	Height     int64
	UploadedAt int64
}

// Of is an account's picture with two files that are published.
func Of(tenant id.Tenant, whole, small picture.File) Picture {
	sum := sha256.New()
	fmt.Fprintf(sum, "%d:", tenant)
	sum.Write(whole.Bytes)
	return Picture{Name: hex.EncodeToString(sum.Sum(nil)) + "." + whole.Extension(), Bytes: int64(len(whole.Bytes) + len(small.Bytes)),
		Width: int64(whole.Width), Height: int64(whole.Height)}
}

// Small is the name of the file of the small picture.
func (p Picture) Small() string { return Small(p.Name) }

// Type is the type of both files: image/jpeg or image/png.
func (p Picture) Type() string { return Type(p.Name) }

// Small is the name of the small picture of a name.
func Small(name string) string {
	hash, extension, _ := strings.Cut(name, ".")
	return hash + small + "." + extension
}

// SmallAddress is the address of the small picture where an address is that of an uploaded one, else the address.
func SmallAddress(address string) string {
	at := strings.LastIndex(address, Path)
	if at < 0 || !shown.MatchString(address) || !IsName(address[at+len(Path):]) {
		return address
	}
	return address[:at+len(Path)] + Small(address[at+len(Path):])
}

// Type is the type of the file with a name.
func Type(name string) string {
	if strings.HasSuffix(name, ".png") {
		return "image/png"
	}
	return "image/jpeg"
}

var fileName = regexp.MustCompile(`^[0-9a-f]{64}(` + small + `)?\.(jpg|png)$`)

// IsName reports whether a text is the name of a picture's file.
func IsName(text string) bool { return fileName.MatchString(text) }

var shown = regexp.MustCompile(Path + `([0-9a-f]{64}\.(?:jpg|png))`)

// Shown are the names of uploaded pictures in a text with their addresses, such as the media of a product.
func Shown(text string) (names []string) {
	for _, found := range shown.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	return names
}

// fresh is how long an upload counts as the newest: a repetition within it changes nothing.
const fresh = time.Hour

// Store notes a picture of the account; one that it has already is as new as the upload. Errors: too_many_pictures, if the
// account has limits.MaxPictures, or limits.MaxPictureBytes of them.
func Store(tx *db.Tx, p Picture) error {
	var count, bytes int64
	err := tx.Row("SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM media WHERE tenant_id = $1 AND name <> $2", []any{tx.Tenant, p.Name}, &count, &bytes)
	if err != nil {
		return err
	}
	if count >= limits.MaxPictures || bytes+p.Bytes > limits.MaxPictureBytes {
		return apperr.New(apperr.Conflict, "too_many_pictures", "the account has %d pictures of %d MB, and may have %d of %d MB: "+
			"those that no product shows go after a week", count, bytes>>20, limits.MaxPictures, limits.MaxPictureBytes>>20)
	}
	tx.Queue(`INSERT INTO media (tenant_id, name, bytes, width, height, uploaded_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (tenant_id, name) DO UPDATE SET uploaded_at = excluded.uploaded_at WHERE media.uploaded_at < $7`,
		tx.Tenant, p.Name, p.Bytes, p.Width, p.Height, tx.Micros(), tx.Now().Add(-fresh).UnixMicro())
	return nil
}

// Before lists the names of the account's pictures that were uploaded before a time.
func Before(tx *db.Tx, at int64) ([]string, error) {
	return db.List(tx, func(r db.Rows) (name string, err error) { return name, r.Scan(&name) },
		"SELECT name FROM media WHERE tenant_id = $1 AND uploaded_at < $2", tx.Tenant, at)
}

// Owners lists the accounts that have pictures. It serves every account.
func Owners(tx *db.Tx) ([]id.Tenant, error) {
	return db.List(tx, func(r db.Rows) (tenant id.Tenant, err error) { return tenant, r.Scan(&tenant) },
		"SELECT DISTINCT tenant_id FROM media ORDER BY tenant_id")
}

// Delete forgets those of the account's pictures that were uploaded before a time.
func Delete(tx *db.Tx, names []string, at int64) error {
	return db.Chunks(names, func(piece []string) error {
		w := db.NewWhere(tx, "").And("uploaded_at < ?", at)
		db.AndIn(w, "name", piece)
		tx.Queue("DELETE FROM media WHERE "+w.String(), w.Args()...)
		return nil
	})
}
