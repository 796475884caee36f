package main

import (
	"strings"
	"testing"
)

// A program that was built without a version says that it is a development build.
func TestVersion(t *testing.T) {
	if got := version(); !strings.HasPrefix(got, "dev") {
		t.Errorf("without a version: %q", got)
	}
	Version = "1.2.3"
	t.Cleanup(func() { Version = "" })
	if got := version(); got != "1.2.3" {
		t.Errorf("with one: %q", got)
	}
}
