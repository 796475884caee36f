package commerce

import (
	"context"
	"errors"
	"os"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/picture"
	"entrepot/internal/db"
	"entrepot/internal/media"
)

// UploadPicture publishes a picture of an account under its name: JPEG, PNG, WebP or GIF of at most limits.MaxPicture
// bytes. The same bytes always give the same name. The picture is noted before its files are stored, so that a crash
// leaves no file that nothing knows of. Errors: invalid_picture, too_many_pictures.
func (s *Service) UploadPicture(ctx context.Context, store *db.DB, account id.Tenant, raw []byte) (p media.Picture, err error) {
	if s.Media == nil {
		return p, apperr.New(apperr.Unavailable, "unavailable", "pictures cannot be uploaded here: no place for them is set")
	}
	whole, small, err := s.publish(raw)
	if err != nil {
		return p, err
	}
	p = media.Of(account, whole, small)
	err = store.Write(ctx, account, func(tx *db.Tx) error { return media.Store(tx, p) })
	if err != nil {
		return p, err
	}
	return p, errors.Join(s.putFile(ctx, p.Name, whole.Bytes), s.putFile(ctx, p.Small(), small.Bytes))
}

// publish decodes one picture at a time: it takes a processor and much memory.
func (s *Service) publish(raw []byte) (whole, small picture.File, err error) {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	return picture.Publish(raw)
}

// putFile stores a file of a picture.
func (s *Service) putFile(ctx context.Context, name string, content []byte) (err error) {
	folder := s.Media.Folder()
	if folder != "" { // a file is renamed into its place
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	file, err := os.CreateTemp(folder, ".upload-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return s.Media.Put(ctx, name, file.Name())
}
