package db

// Migration names a migration of this program.
type Migration struct{ Name, Checksum string }

// KnownMigrations are the migrations of this program, in their order.
func KnownMigrations() (list []Migration, err error) {
	known, err := knownMigrations()
	for _, m := range known {
		list = append(list, Migration{m.name, m.checksum})
	}
	return list, err
}

// RunOnFile runs statements on a SQLite file, as another program would.
func RunOnFile(path string, statements ...string) error {
	conn, err := openConn(path)
	if err != nil {
		return err
	}
	defer conn.close()
	for _, sql := range statements {
		if err := conn.script(sql); err != nil {
			return err
		}
	}
	return nil
}
