package connector_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every request of a connector goes through the client that checks addresses and follows no redirect: no connector makes one of its own.
func TestConnectorsHaveNoClientOfTheirOwn(t *testing.T) {
	own := regexp.MustCompile(`http\.(Client\{|Transport\{|Get\(|Head\(|Post\(|PostForm\(|DefaultClient|DefaultTransport)|net\.Dial`)
	read := 0
	err := filepath.WalkDir(".", func(path string, at fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case at.IsDir() && (at.Name() == "fakeshop" || at.Name() == "connectortest" || at.Name() == "testdata"):
			return filepath.SkipDir
		case at.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || path == "client.go":
			return nil
		}
		text, err := os.ReadFile(path)
		if read++; own.Match(text) {
			t.Errorf("%s: %s", path, own.Find(text))
		}
		return err
	})
	if err != nil || read < 50 {
		t.Errorf("%d files read: %v", read, err)
	}
}
