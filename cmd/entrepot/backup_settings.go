package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/base/bucket"
	"entrepot/internal/server"
)

// Bounds of the backups of a service.
const (
	minBackupEvery = time.Minute
	maxBackupEvery = 31 * 24 * time.Hour
	maxBackupKeep  = 1000
)

// backupSettings are the settings of the service's backups; To is nil if there are none.
func (env *environment) backupSettings(cmd *cobra.Command) (b server.Backups, err error) {
	if b.Every, err = env.backupEvery(cmd); err != nil {
		return b, err
	}
	if b.Keep, err = strconv.Atoi(env.text(cmd, "backup-keep")); err != nil || b.Keep < 1 || b.Keep > maxBackupKeep {
		return b, wrong("backup-keep must be a number from 1 to %d, not %q", maxBackupKeep, env.text(cmd, "backup-keep"))
	}
	if place := env.text(cmd, "backup-to"); place != "" {
		b.To, err = env.bucket(cmd, place)
	}
	return b, err
}

// backupEvery is the time between two backups.
func (env *environment) backupEvery(cmd *cobra.Command) (time.Duration, error) {
	text := env.text(cmd, "backup-every")
	every, err := time.ParseDuration(text)
	if days, is := strings.CutSuffix(text, "d"); is {
		var n int
		if n, err = strconv.Atoi(days); err == nil {
			every = time.Duration(min(n, 1000)) * 24 * time.Hour
		}
	}
	if err != nil || every < minBackupEvery || every > maxBackupEvery {
		return 0, wrong("backup-every must be a time from 1m to 31d, such as 24h or 7d, not %q", text)
	}
	return every, nil
}

// bucket opens a place for files: a folder, or s3://bucket/prefix with the usual variables of AWS.
func (env *environment) bucket(cmd *cobra.Command, place string) (bucket.Bucket, error) {
	b, err := bucket.Open(place, bucket.FromEnvironment(env.text(cmd, "s3-endpoint"), env.getenv))
	if err != nil {
		return nil, wrong("%v", err)
	}
	return b, nil
}
