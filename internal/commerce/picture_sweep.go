package commerce

import (
	"context"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/media"
)

// KeepPicture is how long an uploaded picture stays that no product shows.
const KeepPicture = 7 * 24 * time.Hour

// picturesAtOnce is how many products one read looks at, and how many pictures one transaction forgets.
const picturesAtOnce = 1_000

// SweepPictures removes an account's pictures that were uploaded more than KeepPicture ago and that no product shows. The
// products are read in the order of their changes to the end: one that changes meanwhile comes again.
func (s *Service) SweepPictures(ctx context.Context, store *db.DB, account id.Tenant) error {
	before := store.Now().Add(-KeepPicture).UnixMicro()
	unused := map[string]bool{}
	err := store.Read(ctx, account, func(tx *db.Tx) error {
		old, err := media.Before(tx, before)
		for _, name := range old {
			unused[name] = true
		}
		return err
	})
	for since := int64(0); err == nil && len(unused) > 0; {
		more := false
		err = store.Read(ctx, account, func(tx *db.Tx) error {
			shown, last, err := catalog.MediaChanged(tx, since, picturesAtOnce)
			for _, text := range shown {
				for _, name := range media.Shown(text) {
					delete(unused, name)
				}
			}
			more, since = len(shown) == picturesAtOnce, last
			return err
		})
		if !more {
			break
		}
	}
	if err != nil {
		return err
	}
	names := make([]string, 0, picturesAtOnce)
	for name := range unused {
		if names = append(names, name); len(names) == picturesAtOnce {
			if err := s.removePictures(ctx, store, account, names, before); err != nil {
				return err
			}
			names = names[:0]
		}
	}
	return s.removePictures(ctx, store, account, names, before)
}

// removePictures forgets pictures that nobody has uploaded again, and removes their files.
func (s *Service) removePictures(ctx context.Context, store *db.DB, account id.Tenant, names []string, before int64) error {
	if len(names) == 0 {
		return nil
	}
	var gone []string
	err := store.Write(ctx, account, func(tx *db.Tx) (err error) {
		gone, err = media.Delete(tx, names, before)
		return err
	})
	for _, name := range gone {
		for _, file := range []string{name, media.Small(name)} {
			if err == nil {
				err = s.Media.Remove(ctx, file)
			}
		}
	}
	return err
}
