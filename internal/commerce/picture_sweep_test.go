package commerce_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"testing"
	"time"

	"entrepot/internal/base/bucket"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/media"
)

// A picture that no product shows goes a week after its last upload, with both files; one that a product shows stays.
func TestPicturesThatNobodyShowsGo(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	dbtest.EnginesAt(t, func() time.Time { return now }, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 3)
		folder, err := bucket.Open(t.TempDir(), bucket.S3{})
		if err != nil {
			t.Fatal(err)
		}
		s.do.Media = folder
		upload := func(shade uint8) media.Picture {
			m := image.NewGray(image.Rect(0, 0, 8, 8))
			m.SetGray(0, 0, color.Gray{Y: shade})
			var raw bytes.Buffer
			if err := png.Encode(&raw, m); err != nil {
				t.Fatal(err)
			}
			p, err := s.do.UploadPicture(t.Context(), store, s.who.Tenant, raw.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		sweep := func(want ...media.Picture) {
			t.Helper()
			if err := s.do.SweepPictures(t.Context(), store, s.who.Tenant); err != nil {
				t.Fatal(err)
			}
			var files []string
			for _, p := range want {
				files = append(files, p.Name, p.Small())
			}
			slices.Sort(files)
			if names, err := folder.Names(t.Context()); err != nil || !slices.Equal(names, files) {
				t.Errorf("the files are %v, want %v: %v", names, files, err)
			}
		}
		shown, unused, again := upload(1), upload(2), upload(3)
		err = store.Write(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
			tx.Change("UPDATE products SET media = $2 WHERE tenant_id = $1 AND sku = 'SKU-1'", tx.Tenant,
				`[{"id":"1","url":"https://shop.example/media/`+shown.Name+`","position":0}]`)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		sweep(shown, unused, again)
		now = now.Add(commerce.KeepPicture + time.Second)
		upload(3)
		sweep(shown, again)
	})
}
