package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/backups"
)

// checkedRecord is the printed form of a backup that was checked.
type checkedRecord struct {
	File     string    `json:"file"`
	Place    string    `json:"place"`
	MadeAt   time.Time `json:"madeAt"`
	Bytes    int64     `json:"bytes"`
	Rows     int64     `json:"rows,omitempty"` // of a PostgreSQL copy
	Verified bool      `json:"verified"`       // it was restored, and every check of verify holds
}

// newBackupCheckCommand is "entrepot backup check".
func newBackupCheckCommand(env *environment) *cobra.Command {
	check := &cobra.Command{
		Use:   "check",
		Short: "Try whether the newest backup of the service can be restored",
		Long: "Try whether the newest backup that serve has made can be restored: compare its checksum, restore it into a temporary store,\n" +
			"and run the checks of verify on that. Nothing else is changed, and no service needs to run on this machine.\n\n" +
			"A copy of a PostgreSQL store is restored into the empty database that --into names. Without --into, pg_restore reads the\n" +
			"whole file, and every row in it is counted: damage is found, but the rules of verify are not checked.\n\n" +
			"Exits with 1 if there is no backup, if it is bad, or if it is older than twice --backup-every.",
		Example: "  entrepot backup check --config /etc/entrepot/entrepot.conf\n" +
			"  entrepot backup check --from /backups\n" +
			"  createdb trial && entrepot backup check --from s3://shop/backups --into postgres://entrepot@db/trial",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return env.checkBackup(cmd) },
	}
	env.flags(check, "data", "backup-to", "backup-every", "s3-endpoint")
	check.Flags().String("from", "", "where the backups are; without it, the setting backup-to")
	check.Flags().String("into", "", "postgres://user:password@host/name of an empty database for the copy of a PostgreSQL store")
	check.Flags().Bool("json", false, "print JSON")
	return check
}

func (env *environment) checkBackup(cmd *cobra.Command) error {
	place, _ := cmd.Flags().GetString("from")
	into, _ := cmd.Flags().GetString("into")
	if place == "" {
		place = env.text(cmd, "backup-to")
	}
	if place == "" {
		return wrong("say where the backups are with --from, or with the setting backup-to of the service (--config)")
	}
	every, err := env.backupEvery(cmd)
	if err != nil {
		return err
	}
	from, err := env.bucket(cmd, place)
	if err != nil {
		return err
	}
	temp := env.text(cmd, "data")
	if info, err := os.Stat(temp); err != nil || !info.IsDir() {
		temp = os.TempDir()
	}
	checked, err := backups.Check(cmd.Context(), from, temp, into)
	switch {
	case errors.Is(err, backups.ErrNone):
		return fmt.Errorf("%w: give serve the setting backup-to, and look into its log", err)
	case err != nil && checked.Name == "":
		return err
	case err != nil:
		return fmt.Errorf("the newest backup %s in %s cannot be restored: %w\nmake another one at once with entrepot backup FILE, and try the "+
			"older ones with entrepot restore FILE --data NEW-FOLDER", checked.Name, from, err)
	}
	made := checkedRecord{checked.Name, from.String(), checked.At, checked.Bytes, checked.Rows, checked.Verified}
	says := "restored and verified"
	if !checked.Verified {
		says = fmt.Sprintf("%d rows read, not restored", checked.Rows)
	}
	err = env.print(cmd, made, nil, [][]string{{made.File, fmt.Sprintf("%d bytes", made.Bytes), says}})
	if age := time.Since(checked.At); err == nil && age > 2*every {
		return fmt.Errorf("the newest backup is %s old, and one is made every %s: look into the log of the service for lines of backups, and "+
			"run entrepot doctor", age.Round(time.Minute), every)
	}
	return err
}
