package sqlite

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
