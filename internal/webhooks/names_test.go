package webhooks_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"entrepot/internal/webhooks"
)

// spelled are the folders that write event names out: the catalogue, what platforms and shops call their own topics, the bench, which
// knows nothing of the service but its HTTP interface, and the searches, which follow the log from a floor below.
var spelled = []string{"internal/webhooks/catalogue.go", "internal/connector/", "internal/importer/", "internal/bench/",
	"internal/api/channel_check.go", "internal/search/logged.go"}

// Code names an event by its constant: each name is written in one place.
func TestEventNamesAreWrittenOnce(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	for _, top := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			name = filepath.ToSlash(name)
			found, err := eventLiterals(path)
			seen += len(found)
			if len(found) > 0 && !slices.ContainsFunc(spelled, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
				t.Errorf("%s spells %s: use the constants of package webhooks", name, strings.Join(found, ", "))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < len(webhooks.EventNames) {
		t.Errorf("%d names found, even the catalogue has more: the search is broken", seen)
	}
}

// eventLiterals are the event names among the string literals of a file.
func eventLiterals(path string) (found []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile(path, -1, len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return found, nil
		}
		if kind != token.STRING {
			continue
		}
		if value, err := strconv.Unquote(literal); err == nil && slices.Contains(webhooks.EventNames, value) {
			found = append(found, value)
		}
	}
}
