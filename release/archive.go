package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is a file of an archive.
type file struct {
	path    string // with slashes
	mode    int64
	content []byte
}

func mapKeys[K comparable, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }

// writeArchives writes the archive of every target: the program with everything about it.
func (r *release) writeArchives() error {
	for _, t := range r.targets {
		program, err := os.ReadFile(r.program(t))
		if err != nil {
			return err
		}
		files := []file{{filepath.Base(r.program(t)), 0o755, program}}
		for _, name := range []string{"README.md", "CHANGELOG.md"} {
			text, err := os.ReadFile(filepath.Join(r.source, name))
			if err != nil {
				return err
			}
			files = append(files, file{name, 0o644, text})
		}
		files = append(append(files, r.documents...), r.shell...)
		folder := strings.TrimSuffix(filepath.Base(r.name(t.system+"_"+t.processor)), ".")
		if t.system == "windows" {
			err = r.writeZip(r.name(t.system+"_"+t.processor+".zip"), folder, files)
		} else {
			err = r.writeTarGz(r.name(t.system+"_"+t.processor+".tar.gz"), folder, files)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeTarGz writes files below a folder, in the order of their names.
func (r *release) writeTarGz(to, folder string, files []file) error {
	var packed bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := errors.Join(writeTar(zipped, folder, r.at, files), zipped.Close()); err != nil {
		return err
	}
	return os.WriteFile(to, packed.Bytes(), 0o644)
}

// writeTar writes files and their folders as they are named, owned by root.
func writeTar(to io.Writer, folder string, at time.Time, files []file) error {
	archive := tar.NewWriter(to)
	seen := map[string]bool{".": true}
	for _, f := range slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.path, b.path) }) {
		name := path.Join(folder, f.path)
		var above []string
		for parent := path.Dir(name); !seen[parent]; parent = path.Dir(parent) {
			seen[parent] = true
			above = append(above, parent)
		}
		for _, parent := range slices.Backward(above) {
			if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: parent + "/", Mode: 0o755, ModTime: at}); err != nil {
				return err
			}
		}
		if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: f.mode, ModTime: at, Size: int64(len(f.content))}); err != nil {
			return err
		}
		if _, err := archive.Write(f.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// writeZip is writeTarGz for Windows.
func (r *release) writeZip(to, folder string, files []file) error {
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for _, f := range slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.path, b.path) }) {
		header := &zip.FileHeader{Name: path.Join(folder, f.path), Method: zip.Deflate, Modified: r.at}
		header.SetMode(os.FileMode(f.mode))
		w, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := w.Write(f.content); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, packed.Bytes(), 0o644)
}
