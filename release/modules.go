package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a module whose code is in the program.
type module struct {
	Path, Version, Dir string
	Sum                string          // as in go.sum
	licence            string          // SPDX expression
	folders            map[string]bool // of its packages in the program
}

// findModules finds the modules that the program of any target contains, Go's own library first, and writes their notices.
func (r *release) findModules() error {
	found := map[string]*module{}
	for _, t := range r.targets {
		var out []byte
		if err := r.goTool(t, &out, "list", "-deps", "-json=Dir,Standard,Module", "./cmd/entrepot"); err != nil {
			return err
		}
		for packages := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Dir      string
				Standard bool
				Module   *struct {
					module
					Main bool
				}
			}
			if err := packages.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			if p.Standard || p.Module == nil || p.Module.Main {
				continue
			}
			m := found[p.Module.Path]
			if m == nil {
				m = &p.Module.module
				m.folders = map[string]bool{}
				found[m.Path] = m
			}
			m.folders[p.Dir] = true
		}
	}
	version, err := exec.Command("go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return err
	}
	lines := strings.Fields(string(version))
	r.modules = []module{{Path: "std", Version: strings.TrimPrefix(lines[0], "go"), Dir: lines[1], folders: map[string]bool{}}}
	for _, path := range slices.Sorted(mapKeys(found)) {
		r.modules = append(r.modules, *found[path])
	}
	return r.writeNotices()
}

// writeNotices makes THIRD_PARTY_NOTICES.txt: the licences and notices of every module, and where its sources are.
func (r *release) writeNotices() error {
	var text strings.Builder
	fmt.Fprintf(&text, "entrepot %s is licensed under the Apache License 2.0 (LICENSE). It contains the modules below under the licences that\n"+
		"follow. The source code of each version of a module is at https://proxy.golang.org/MODULE/@v/VERSION.zip, that of Go\n"+
		"itself at https://go.dev/dl; this is also where the source code of modules under the Mozilla Public License 2.0 is offered.\n"+
		"None of them was changed.\n\n", r.version)
	for i := range r.modules {
		m := &r.modules[i]
		paths, err := m.notices()
		if err != nil {
			return err
		}
		var all strings.Builder
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(m.Dir, path)
			fmt.Fprintf(&all, "--- %s\n\n%s\n\n", filepath.ToSlash(name), strings.TrimSpace(string(content)))
			if filepath.Dir(path) == m.Dir && m.licence == "" {
				m.licence = licenceOf(string(content))
			}
		}
		if m.licence == "" {
			return fmt.Errorf("%s %s: its licence is not known: read it, and teach licenceOf its text", m.Path, m.Version)
		}
		fmt.Fprintf(&text, "%s\n%s %s (%s)\n\n%s", strings.Repeat("=", 100), m.Path, m.Version, m.licence, all.String())
	}
	licence, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return err
	}
	r.documents = []file{{"LICENSE", 0o644, licence}, {"THIRD_PARTY_NOTICES.txt", 0o644, []byte(text.String())}}
	return nil
}

// isNotice is the name of a file that a licence asks to be passed on.
var isNotice = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|copyright|patents)([-._].*)?$`)

// notices are the files of a module that must be passed on, the licence of the whole first: those in its root and in the
// folders of the packages that are used, up to the root.
func (m module) notices() (paths []string, err error) {
	folders := map[string]bool{m.Dir: true}
	for folder := range m.folders {
		for ; len(folder) > len(m.Dir); folder = filepath.Dir(folder) {
			folders[folder] = true
		}
	}
	for _, folder := range slices.Sorted(mapKeys(folders)) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && isNotice.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
				paths = append(paths, filepath.Join(folder, e.Name()))
			}
		}
	}
	return paths, nil
}

// licences are texts that only one licence has.
var licences = []struct{ name, text string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"BSD-3-Clause", "Neither the name"},
	{"ISC", "Permission to use, copy, modify, and"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"MPL-2.0", "Mozilla Public License, version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
}

// licenceOf is the SPDX expression of a licence's text, "" if it is none that is known here.
func licenceOf(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "*", "")), " ")
	var names []string
	for _, l := range licences {
		if strings.Contains(strings.ToLower(text), strings.ToLower(l.text)) && !slices.Contains(names, l.name) {
			names = append(names, l.name)
		}
	}
	if !slices.Contains(names, "BSD-3-Clause") && strings.Contains(text, "Redistribution and use in source and binary forms") {
		names = append(names, "BSD-2-Clause")
	}
	slices.Sort(names)
	return strings.Join(names, " AND ")
}
