package secretbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/base/secretbox"
)

func TestKeyFileIsMadeOnceByManyAtOnce(t *testing.T) {
	for name, before := range map[string]func(path string) error{
		"nothing there":  func(string) error { return nil },
		"an empty file":  func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a file of zero": func(path string) error { return os.WriteFile(path, make([]byte, 45), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, secretbox.FileName)
			if err := before(path); err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			ids, made := map[string]bool{}, 0
			var all sync.WaitGroup
			for range 16 {
				all.Go(func() {
					key, isNew, err := secretbox.MakeFile(dir)
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						t.Error(err)
						return
					}
					ids[key.ID()] = true
					if isNew {
						made++
					}
				})
			}
			all.Wait()
			key, err := secretbox.ReadFile(dir)
			if err != nil || len(ids) != 1 || made != 1 || !ids[key.ID()] {
				t.Errorf("keys %v, %d made, the file's is %s, %v", ids, made, key.ID(), err)
			}
			entries, _ := os.ReadDir(dir)
			if len(entries) != 1 {
				t.Errorf("left in the folder: %v", entries)
			}
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%v %v", info.Mode(), err)
			}
		})
	}
}

func TestBadKeyFilesSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, secretbox.FileName)
	good := strings.Repeat("ab", 32) + "\n"
	for _, c := range []struct {
		text string
		mode os.FileMode
		want string
	}{
		{good, 0o644, "chmod 600 " + path}, {good, 0o640, "chmod 600 " + path}, {"too short", 0o600, path}, {"", 0o600, path},
	} {
		if c.mode&0o077 != 0 && runtime.GOOS == "windows" {
			continue
		}
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, []byte(c.text), c.mode), os.Chmod(path, c.mode)); err != nil {
			t.Fatal(err)
		}
		if _, err := secretbox.ReadFile(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q with mode %o: %v", c.text, c.mode, err)
		}
		if c.text == "" {
			continue
		}
		if _, made, err := secretbox.MakeFile(dir); err == nil || made {
			t.Errorf("%q with mode %o: another key was made", c.text, c.mode)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.text {
			t.Errorf("the file was changed: %q %v", text, err)
		}
	}
	if _, err := secretbox.ReadFile(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
