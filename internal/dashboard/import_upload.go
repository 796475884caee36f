package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/disk"
	"entrepot/internal/db"
	"entrepot/internal/importer/fileimport"
	"entrepot/internal/imports"
)

// Bounds of an upload. A file that is too large is read to its end, too, because a browser shows an answer only after
// it has sent everything.
const (
	uploadMost = 4 * fileimport.MaxFile
	uploadTime = 10 * time.Minute
	nameMost   = 120 // characters of a file's name
)

// upload is a file that a form has sent, on this node's disk.
type upload struct {
	name string
	size int64
	file *disk.Temporary
}

func (u *upload) remove() {
	if u.file != nil {
		u.file.Close()
	}
}

// receive reads a form with one file. Its other inputs, and the hash of the file, become the request's form, so that a
// repetition is detected. Errors: TooLarge; Invalid without a file.
func (r *request) receive() (received *upload, err error) {
	control := http.NewResponseController(r.out)
	for _, set := range []func(time.Time) error{control.SetReadDeadline, control.SetWriteDeadline} {
		if err := set(time.Now().Add(uploadTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return nil, err
		}
	}
	r.http.PostForm = url.Values{}
	u := &upload{}
	defer func() {
		if err != nil {
			u.remove()
		}
	}()
	parts, err := r.http.MultipartReader()
	if err != nil {
		return nil, apperr.At("file", "is missing: choose one")
	}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = u.take(part, r.http.PostForm)
		}
		var over *http.MaxBytesError
		switch known, ok := apperr.As(err); {
		case ok:
			return nil, known
		case errors.As(err, &over):
			return nil, tooLargeFile()
		case err != nil:
			return nil, refusal(apperr.Invalid, "the file did not arrive whole; send it again")
		}
	}
	if u.file == nil {
		return nil, apperr.At("file", "is missing: choose one")
	}
	return u, nil
}

// take reads one part of the form.
func (u *upload) take(part *multipart.Part, form url.Values) (err error) {
	if part.FormName() != "file" {
		text, err := io.ReadAll(io.LimitReader(part, 1<<10))
		form.Add(part.FormName(), string(text))
		return err
	}
	if part.FileName() == "" || u.file != nil {
		_, err := io.Copy(io.Discard, part)
		return err
	}
	u.name = fileName(part.FileName())
	if u.file, err = disk.NewTemporary(""); err != nil {
		return err
	}
	hash := sha256.New()
	u.size, err = io.Copy(io.MultiWriter(u.file, hash), io.LimitReader(part, fileimport.MaxFile+1))
	if err == nil && u.size > fileimport.MaxFile {
		_, _ = io.Copy(io.Discard, part) // to its end, or to the request's limit
		return tooLargeFile()
	}
	form.Set("sha256", hex.EncodeToString(hash.Sum(nil)))
	return err
}

func tooLargeFile() error {
	return apperr.New(apperr.TooLarge, "body_too_large", "the file is larger than %d MB: divide it, or compress it with gzip",
		fileimport.MaxFile>>20)
}

// fileName is a file's name as pages show it.
func fileName(given string) string {
	name := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == unicode.ReplacementChar {
			return -1
		}
		return c
	}, strings.ToValidUTF8(given, ""))
	if runes := []rune(name); len(runes) > nameMost {
		name = string(runes[:nameMost]) + "…"
	}
	if strings.TrimSpace(name) == "" {
		return "file"
	}
	return name
}

// uploadImport serves POST /products/import: the file is examined, and stored if it can be imported.
func (d *Dashboard) uploadImport(r *request) (answer, error) {
	u, failed := r.receive()
	if failed == nil {
		defer u.remove()
	}
	if err := r.checkAccount(); err != nil {
		return answer{}, err
	}
	return r.submit(uploadForm(r), d.startImport, func(*form) (answer, error) {
		if failed != nil {
			return answer{}, failed
		}
		return d.keepUpload(r, u)
	})
}

// keepUpload stores a file with what was detected of it.
func (d *Dashboard) keepUpload(r *request, u *upload) (answer, error) {
	ctx, tenant := r.http.Context(), r.caller().Tenant
	k := r.files()
	var options fileimport.Options
	if k.kind == imports.Orders || k.kind == imports.Shipments {
		options.TimeZone = r.format.zone.String()
	}
	if k.kind == imports.Orders {
		options.Currency = r.caller().Currency
	}
	found, err := options.Look(ctx, k.kind, u.file.Open, u.name, true)
	if err != nil {
		return answer{}, err
	}
	options.Columns = map[string]string{}
	for _, c := range found.Columns {
		if c.Guessed {
			options.Columns[c.Name] = c.Field
		}
	}
	var i imports.Import
	err = r.store().Write(ctx, tenant, func(tx *db.Tx) (err error) {
		i, err = imports.Insert(tx, k.kind, u.name, u.size, r.caller().User)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	if _, err := u.file.Seek(0, io.SeekStart); err != nil {
		return answer{}, err
	}
	if err := imports.SaveFile(ctx, d.DB, tenant, i.ID, u.file); err != nil {
		return answer{}, err
	}
	i.Stage = imports.New
	if err := fileimport.Put(&i, options, found); err != nil {
		return answer{}, err
	}
	return d.write(r, func(tx *db.Tx) (answer, error) {
		i.Update(tx, imports.Uploading)
		return redirect(k.path+"/"+string(i.ID), ""), nil
	})
}
