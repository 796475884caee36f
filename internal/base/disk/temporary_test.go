package disk_test

import (
	"io"
	"os"
	"runtime"
	"testing"

	"entrepot/internal/base/disk"
)

func TestTemporary(t *testing.T) {
	folder := t.TempDir()
	f, err := disk.NewTemporary(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("first, second"); err != nil {
		t.Fatal(err)
	}
	a, _ := f.Open()
	b, _ := f.Open()
	if _, err := io.ReadFull(a, make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	a.Close()
	if all, err := io.ReadAll(b); string(all) != "first, second" || err != nil {
		t.Errorf("read %q, %v", all, err)
	}
	names := func() int {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if n := names(); n != 0 && runtime.GOOS != "windows" {
		t.Errorf("%d files have a name while one is open", n)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if n := names(); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

func TestNoFolder(t *testing.T) {
	if _, err := disk.NewTemporary(t.TempDir() + "/none"); !os.IsNotExist(err) {
		t.Errorf("error %v", err)
	}
}
