package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unreleased is the version that the chart's sources have instead of the release's.
const unreleased = "0.0.0"

// writeDeploy writes the Helm chart with this version, and the samples of deploy/ for everything else.
func (r *release) writeDeploy() error {
	chart, err := readFiles(filepath.Join(r.source, "deploy", "helm", "entrepot"))
	if err != nil {
		return err
	}
	for i, f := range chart {
		if f.path == "Chart.yaml" {
			text := strings.ReplaceAll(string(f.content), unreleased, r.version)
			if text == string(f.content) {
				return fmt.Errorf("Chart.yaml does not have %s where the version belongs", unreleased)
			}
			chart[i].content = []byte(text)
		}
	}
	if err := r.writeTarGz(filepath.Join(r.out, "entrepot-"+r.version+".tgz"), "entrepot", chart); err != nil { // as helm package names it
		return err
	}
	samples, err := readFiles(filepath.Join(r.source, "deploy"))
	if err != nil {
		return err
	}
	kept := samples[:0]
	for _, f := range samples {
		if !strings.HasPrefix(f.path, "helm/") {
			f.content = []byte(strings.ReplaceAll(string(f.content), unreleased, r.version))
			kept = append(kept, f)
		}
	}
	return r.writeTarGz(r.name("deploy.tar.gz"), "entrepot_"+r.version+"_deploy", kept)
}

// readFiles reads all files below a folder; programs stay programs.
func readFiles(folder string) (files []file, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		mode := int64(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		inside, err := filepath.Rel(folder, path)
		files = append(files, file{filepath.ToSlash(inside), mode, content})
		return err
	})
	return files, err
}
