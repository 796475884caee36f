package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/bench"
)

// readyWithin is how long a service that is started to be measured may take to answer, and to end.
const readyWithin = 30 * time.Second

// hereScopes are the scopes that the scenarios need.
const hereScopes = "write:products,write:inventory,write:orders,write:customers,write:webhooks"

// measuredService is the service of bench --here, with its store.
type measuredService struct {
	folder  string
	process *exec.Cmd
}

// startHere starts this program as a service on a new folder, and directs the options to it and to an account of its
// own.
func startHere(cmd *cobra.Command, env *environment, o *bench.Options) (*measuredService, error) {
	for _, flag := range []string{"url", "key", "allow-remote", "server-pid"} {
		if cmd.Flags().Changed(flag) {
			return nil, wrong("--here starts a service of its own: leave out --%s", flag)
		}
	}
	folder, err := os.MkdirTemp(o.BaselineFolder, "entrepot-bench-")
	if err != nil {
		return nil, err
	}
	s := &measuredService{folder: folder}
	if err = s.start(cmd.Context(), env, o); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

func (s *measuredService) start(ctx context.Context, env *environment, o *bench.Options) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address, data := free.Addr().String(), filepath.Join(s.folder, "data")
	if err := free.Close(); err != nil {
		return err
	}
	command := func(args ...string) *exec.Cmd {
		process := exec.CommandContext(ctx, program, append(args, "--data", data)...)
		process.Env, process.Stderr = withoutSettings(os.Environ()), env.stderr
		process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
		process.WaitDelay = readyWithin
		return process
	}
	s.process = command("serve", "--dev", "--addr", address, "--rate-limits", "off", "--log-level", "error")
	s.process.Env = append(s.process.Env, "ENTREPOT_ADMIN_EMAIL=owner@bench.example", "ENTREPOT_ADMIN_PASSWORD=a long bench password")
	if err := s.process.Start(); err != nil {
		return err
	}
	o.URL, o.ServerPIDs = "http://"+address, []int{s.process.Process.Pid}
	if err := ready(ctx, o.URL+"/readyz"); err != nil {
		return err
	}
	var account struct{ ID string }
	var key struct{ Key string }
	for _, made := range []struct {
		into any
		args []string
	}{
		{&account, []string{"account", "create", "--name", "bench", "--plan", "enterprise", "--owner-email", "bench@bench.example",
			"--owner-password", "another long bench password"}},
		{&key, []string{"key", "create", "--name", "bench", "--scopes", hereScopes}},
	} {
		if account.ID != "" {
			made.args = append(made.args, "--account", account.ID)
		}
		out, err := command(append(made.args, "--json")...).Output()
		if err == nil {
			err = json.Unmarshal(out, made.into)
		}
		if err != nil {
			return fmt.Errorf("entrepot %s: %w", strings.Join(made.args[:2], " "), err)
		}
	}
	o.Keys = []string{key.Key}
	return nil
}

// withoutSettings is an environment without the variables that configure a service: the measured one is not to use
// another store because of them.
func withoutSettings(environ []string) (kept []string) {
	for _, pair := range environ {
		if !strings.HasPrefix(pair, "ENTREPOT_") {
			kept = append(kept, pair)
		}
	}
	return kept
}

// ready waits until an address answers 200.
func ready(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, "GET", address, nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the service did not answer: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// end stops the service and removes its store.
func (s *measuredService) end() {
	if s.process != nil && s.process.Process != nil {
		_ = s.process.Process.Signal(syscall.SIGTERM)
		_ = s.process.Wait()
	}
	_ = os.RemoveAll(s.folder)
}
