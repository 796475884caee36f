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

// SetFree makes what is left on every disk n bytes until undo is called.
func SetFree(n uint64) (undo func()) {
	before := freeOf
	freeOf = func(string) (uint64, bool) { return n, true }
	return func() { freeOf = before }
}
