package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
)

func TestProfileOfTheProcessor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu.pprof")
	cmd := &cobra.Command{}
	cmd.Flags().String("cpu-profile", path, "")
	end, err := new(environment).profile(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil || !bytes.Contains(content, []byte("nanoseconds")) {
		t.Errorf("%d bytes of no profile, %v", len(content), err)
	}
}
