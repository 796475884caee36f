package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// program is where the built program of a target is.
func (r *release) program(t target) string {
	name := "entrepot"
	if t.system == "windows" {
		name += ".exe"
	}
	return filepath.Join(r.work, t.system+"_"+t.processor, name)
}

// buildPrograms builds the program for every target.
func (r *release) buildPrograms() error {
	for _, t := range r.targets {
		if err := r.build(t); err != nil {
			return err
		}
	}
	return nil
}

// build builds the program for a target. Nothing of the environment that changes the bytes is used.
func (r *release) build(t target) error {
	where, err := filepath.Abs(r.program(t))
	if err != nil {
		return err
	}
	return r.goTool(t, nil, "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.Version="+r.version, "-o", where, "./cmd/entrepot")
}

// goTool runs Go in the sources for a target.
func (r *release) goTool(t target, out *[]byte, args ...string) (err error) {
	command := exec.Command("go", args...)
	command.Dir = r.source
	command.Stderr = os.Stderr
	command.Env = append(os.Environ(), "GOOS="+t.system, "GOARCH="+t.processor, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0",
		"GOEXPERIMENT=", "GODEBUG=", "GOWORK=off")
	if out == nil {
		err = command.Run()
	} else {
		*out, err = command.Output()
	}
	if err != nil {
		return fmt.Errorf("go %s for %s/%s: %w", args[0], t.system, t.processor, err)
	}
	return nil
}

// writeShell runs the program of this machine for its completions and its manual page.
func (r *release) writeShell() error {
	here := target{runtime.GOOS, runtime.GOARCH}
	if _, err := os.Stat(r.program(here)); err != nil {
		if err := r.build(here); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		path string
		args []string
	}{
		{"completions/entrepot.bash", []string{"completion", "bash"}},
		{"completions/_entrepot", []string{"completion", "zsh"}},
		{"completions/entrepot.fish", []string{"completion", "fish"}},
		{"completions/entrepot.ps1", []string{"completion", "powershell"}},
		{"man/entrepot.1", []string{"man"}},
	} {
		text, err := exec.Command(r.program(here), f.args...).Output()
		if err != nil {
			return fmt.Errorf("entrepot %v: %w", f.args, err)
		}
		r.shell = append(r.shell, file{path: f.path, mode: 0o644, content: text})
	}
	return nil
}
