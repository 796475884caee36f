package commerce

import (
	"context"
	"errors"
	"maps"
	"slices"
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
	for names := range slices.Chunk(slices.Sorted(maps.Keys(unused)), picturesAtOnce) {
		if err := s.removePictures(ctx, store, account, names, before); err != nil {
			return err
		}
	}
	return nil
}

// removePictures removes the files of pictures and then forgets them, so that a crash between leaves no file that nothing
// knows of: the next sweep does the rest.
func (s *Service) removePictures(ctx context.Context, store *db.DB, account id.Tenant, names []string, before int64) error {
	for _, name := range names {
		if err := errors.Join(s.Media.Remove(ctx, name), s.Media.Remove(ctx, media.Small(name))); err != nil {
			return err
		}
	}
	return store.Write(ctx, account, func(tx *db.Tx) error { return media.Delete(tx, names, before) })
}
