package main

import (
	"errors"
	"os"
	"runtime/pprof"

	"github.com/spf13/cobra"
)

// profile writes where the processor time of this process goes to the file of --cpu-profile, if it names one, until
// end is called. Tools such as "go tool pprof" read it.
func (env *environment) profile(cmd *cobra.Command) (end func() error, err error) {
	path, _ := cmd.Flags().GetString("cpu-profile")
	if path == "" {
		return func() error { return nil }, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return file.Close()
	}, nil
}
