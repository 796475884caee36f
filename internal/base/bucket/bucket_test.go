package bucket_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"entrepot/internal/base/bucket"
)

// service is an S3 service in memory with a bucket.
func service(t *testing.T, name string) bucket.S3 {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(name); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return bucket.S3{Endpoint: server.URL, Region: "us-east-1", Key: "id", Secret: "secret", PartSize: 5 << 20}
}

// A file comes back as it was put, one that is sent in parts, too; the local file is gone. Files of other prefixes are
// not listed.
func TestFilesComeBackAsTheyWere(t *testing.T) {
	s3 := service(t, "shop")
	for _, place := range []string{filepath.Join(t.TempDir(), "not", "there", "yet"), "s3://shop", "s3://shop/backups/"} {
		b, err := bucket.Open(place, s3)
		if err != nil {
			t.Fatal(err)
		}
		if names, err := b.Names(t.Context()); err != nil || len(names) > 0 {
			t.Errorf("%s: %v, %v", b, names, err)
		}
		if _, err := b.Read(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a missing file: %v", b, err)
		}
		local := t.TempDir()
		if b.Folder() != "" {
			local = filepath.Dir(filepath.Dir(filepath.Dir(place))) // renamed on one disk
		}
		random := rand.NewChaCha8([32]byte{})
		for name, size := range map[string]int{"a": 0, "b": 1000, "c": 12<<20 + 7} {
			content, path := make([]byte, size), filepath.Join(local, "local")
			random.Read(content)
			if err := errors.Join(os.WriteFile(path, content, 0o600), b.Put(t.Context(), name, path)); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: the local file: %v", b, err)
			}
			file, err := b.Read(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			back, err := io.ReadAll(file)
			if err := errors.Join(err, file.Close()); err != nil || !bytes.Equal(back, content) {
				t.Errorf("%s: %d bytes came back as %d: %v", b, size, len(back), err)
			}
		}
		if err := errors.Join(b.Remove(t.Context(), "b"), b.Remove(t.Context(), "b")); err != nil {
			t.Error(err)
		}
		if names, err := b.Names(t.Context()); err != nil || !slices.Equal(names, []string{"a", "c"}) {
			t.Errorf("%s: %v, %v", b, names, err)
		}
		for _, name := range []string{"a", "c"} {
			if err := b.Remove(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
	}
}

// A place or a setting that cannot work is refused before anything is sent, with what to give instead.
func TestUnusablePlaces(t *testing.T) {
	whole := bucket.S3{Key: "id", Secret: "secret"}
	for place, c := range map[string]struct {
		s3   bucket.S3
		want string
	}{
		"s3://":          {whole, "s3://bucket/prefix"},
		"ftp://x/y":      {whole, "s3://bucket/prefix"},
		"s3://shop":      {bucket.S3{}, "AWS_ACCESS_KEY_ID"},
		"s3://shop/here": {bucket.S3{Endpoint: "minio:9000", Key: "id", Secret: "secret"}, "s3-endpoint must be"},
	} {
		if _, err := bucket.Open(place, c.s3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", place, err)
		}
	}
}
