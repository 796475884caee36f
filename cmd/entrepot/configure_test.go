package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

//go:generate go test -run ^TestConfigureListsTheSettings$ -update .

var update = flag.Bool("update", false, "write the table of settings into docs/configure.md")

// docs/configure.md lists every setting with its default, its meaning, and whether SIGHUP applies a change.
func TestConfigureListsTheSettings(t *testing.T) {
	const path, begin, end = "../../docs/configure.md", "| Setting | Default | SIGHUP | Meaning |\n|---|---|---|---|\n", "\n\n"
	var table strings.Builder
	for _, s := range settings {
		standard, reloads := "–", "–"
		if s.standard != "" {
			standard = "`" + s.standard + "`"
		}
		if s.reloads {
			reloads = "applies"
		}
		name := s.name
		if s.secret {
			name += " (no flag)"
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", name, standard, reloads, s.usage)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no table of settings", path)
	}
	want := before + begin + strings.TrimSuffix(table.String(), "\n") + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s is not up to date: go generate ./cmd/entrepot", path)
	}
}
