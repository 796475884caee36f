// Command entrepot is the service with all its tools (interface §10).
//
//	main.go        run: arguments in, exit code out
//	settings.go    flags, then environment, then file
//	serve.go       the service; reload.go: what SIGHUP changes while it runs
//	demo*.go       the service with a sample shop
//	account.go …   commands on the store without HTTP: account, user, key, channel, webhook
//	backup.go      copies of the store
//	doctor.go      checks for problems
//	import.go      imports files through the API; bench.go measures
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"entrepot/internal/base/apperr"
	"entrepot/internal/bench"
)

func main() {
	onlyForMe()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// endAtHangup ends a command in order at SIGHUP, which comes when its terminal is closed, unless the command was started
// with it ignored, as nohup does. A service without a terminal takes it as the request to reload (reload.go).
func (env *environment) endAtHangup(cmd *cobra.Command) {
	if signal.Ignored(syscall.SIGHUP) || cmd.Name() == "serve" && !isTerminal(env.stderr) {
		return
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	cmd.SetContext(ctx)
}

// environment is a command's input and output, and its settings.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	args           []string
	file           map[string]string // of --config
	from           map[string]string // flag → source of its value, if that is not the command line
	level          slog.LevelVar     // of the log
}

// Exit codes (interface §10).
const (
	done        = 0
	failed      = 1
	calledWrong = 2
)

// run is the program: results go to stdout, everything else to stderr.
func run(ctx context.Context, args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	env := &environment{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, args: args}
	called := false // the arguments were valid
	root := newRootCommand(env, func() { called = true })
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var wrong *wrongCall
	switch {
	case err == nil:
		return done
	case !called, errors.As(err, &wrong), refusedInput(err):
		fmt.Fprintf(stderr, "entrepot: %v\n", err)
		return calledWrong
	}
	fmt.Fprintf(stderr, "entrepot: %v\n", err)
	return failed
}

// refusedInput reports whether an operation refused its input values.
func refusedInput(err error) bool {
	if _, measured := errors.AsType[*bench.CallError](err); measured {
		return true
	}
	f, ok := apperr.As(err)
	return ok && f.Kind == apperr.Invalid
}

// wrongCall is an error in the arguments of a command.
type wrongCall struct{ message string }

func (w *wrongCall) Error() string { return w.message }

func wrong(format string, args ...any) error { return &wrongCall{fmt.Sprintf(format, args...)} }

func newRootCommand(env *environment, called func()) *cobra.Command {
	root := &cobra.Command{
		Use:   "entrepot",
		Short: "Catalog and orders between ERP, shops and marketplaces",
		Long: "entrepot holds products, stock, orders and customers, and reports every change to shops, marketplaces and the " +
			"ERP.\n\nStart with: entrepot demo",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          needsCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := env.fill(cmd); err != nil {
				return err
			}
			if err := requireFlags(cmd); err != nil {
				return err
			}
			called()
			env.endAtHangup(cmd)
			return nil
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if bad := (*pflag.InvalidValueError)(nil); errors.As(err, &bad) {
			err = unfit("--"+bad.GetFlag().Name, bad)
		}
		return wrong("%v; see: %s --help", err, cmd.CommandPath())
	})
	root.PersistentFlags().String("config", "", "file of settings, one key = value a line")
	root.AddCommand(
		newServeCommand(env), newDemoCommand(env), newMigrateCommand(env), newBackupCommand(env), newRestoreCommand(env), newMoveCommand(env),
		newDoctorCommand(env),
		newVerifyCommand(env), newVerifyErasureCommand(env),
		newAccountCommand(env), newUserCommand(env), newKeyCommand(env), newKeyRotateCommand(env), newKeyExportCommand(env),
		newChannelCommand(env), newWebhookCommand(env),
		newImportCommand(env), newExportCommand(env), newBenchCommand(env), newSimulateCommand(env), newConfigCommand(env),
		newHealthCommand(env), newVersionCommand(env), newManCommand(env),
	)
	root.SetOut(env.stdout) // completion uses it
	root.InitDefaultCompletionCmd(env.args...)
	root.InitDefaultHelpCmd()
	for _, group := range root.Commands() {
		switch group.Name() {
		case "completion":
			group.Args, group.RunE = cobra.ArbitraryArgs, needsCommand // an unknown shell is a wrong call
		case "help":
			group.Run, group.RunE = nil, helpOn
		}
	}
	return root
}

// requireFlags is the error of a command without flags that it must have.
func requireFlags(cmd *cobra.Command) error {
	var missing []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, must := f.Annotations[cobra.BashCompOneRequiredFlag]; must && !f.Changed {
			missing = append(missing, "--"+f.Name)
		}
	})
	if len(missing) > 0 {
		return wrong("give %s; see: %s --help", strings.Join(missing, ", "), cmd.CommandPath())
	}
	return nil
}

// noArguments refuses arguments of a command that has none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return wrong("%s takes no argument %q; see: %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return nil
}

// helpOn is "entrepot help COMMAND".
func helpOn(cmd *cobra.Command, args []string) error {
	topic, rest, err := cmd.Root().Find(args)
	if err != nil || topic.HasSubCommands() && len(rest) > 0 && topic.Name() != "bench" {
		return wrong("there is no command %q; see: entrepot --help", strings.Join(args, " "))
	}
	topic.InitDefaultHelpFlag()
	return topic.Help()
}

// needsCommand is the error of a group of commands without a command.
func needsCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return wrong("unknown command %q for %q; see: %s --help", args[0], cmd.CommandPath(), cmd.CommandPath())
	}
	cmd.SetOut(cmd.ErrOrStderr()) // standard output is for results only
	if err := cmd.Help(); err != nil {
		return err
	}
	return wrong("say which command of %s", cmd.CommandPath())
}
