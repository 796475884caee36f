package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/base/accesslog"
	"entrepot/internal/server"
)

// reloadAtHangup reloads at each SIGHUP until ctx ends, if the service has no terminal.
func (env *environment) reloadAtHangup(ctx context.Context, cmd *cobra.Command, s *server.Server, c server.Config) {
	if isTerminal(env.stderr) {
		return
	}
	r := &reloader{env: env, server: s, log: c.Log, access: c.AccessLog, started: env.texts(cmd)}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		defer signal.Stop(hangups)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				r.reload(ctx)
			}
		}
	}()
}

// reloader applies what has changed in the settings file.
type reloader struct {
	env     *environment
	server  *server.Server
	log     *slog.Logger
	access  *accesslog.Share
	started map[string]string // the settings in force, by name
}

// reload reads the settings again. If one is wrong, none changes. One line says what has changed, and which changes
// wait for a restart.
func (r *reloader) reload(ctx context.Context) {
	read, level, share, err := r.env.readAgain(ctx)
	if err != nil {
		r.log.Error("reload: the settings cannot be used, those before stay in force", "error", err)
		return
	}
	var changed, waiting []string
	for _, s := range settings {
		switch value := read[s.name]; {
		case value == r.started[s.name]:
		case s.reloads:
			changed = append(changed, s.name+"="+masked(s, value))
			r.started[s.name] = value
		default:
			waiting = append(waiting, s.name)
		}
	}
	r.access.Set(share)
	before := r.env.level.Level()
	r.env.level.Set(level)
	done, err := r.server.Reload()
	if err != nil {
		r.log.Error("reload: the certificate cannot be used, the one before stays in use", "error", err)
		done = ""
	}
	if min(before, level) > slog.LevelInfo {
		return
	}
	// Handled by the level before, too: a handler writes what it is given.
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "reloaded", 0)
	line.Add("changed", strings.Join(changed, " "), "restart_needed_for", strings.Join(waiting, " "), "certificate", done)
	_ = r.log.Handler().Handle(ctx, line)
}

// readAgain reads command line, environment and settings file as at the start, and returns the settings by name.
func (env *environment) readAgain(ctx context.Context) (read map[string]string, level slog.Level, share float64, err error) {
	again := &environment{stdin: env.stdin, stdout: io.Discard, stderr: env.stderr, getenv: env.getenv, args: env.args}
	root := newRootCommand(again, func() {})
	serve, _, err := root.Find([]string{"serve"})
	if err != nil {
		return nil, 0, 0, err
	}
	serve.RunE = func(cmd *cobra.Command, _ []string) error {
		if _, err := again.serverConfig(cmd); err != nil {
			return err
		}
		read, level = again.texts(cmd), again.level.Level()
		share, err = accesslog.Parse(read["access-log"])
		return err
	}
	root.SetArgs(env.args)
	err = root.ExecuteContext(ctx)
	return read, level, share, err
}

// texts are the settings of a command by name.
func (env *environment) texts(cmd *cobra.Command) map[string]string {
	list := map[string]string{}
	for _, s := range settings {
		list[s.name] = env.text(cmd, s.name)
	}
	return list
}
