package engine

// Loader is a session that takes whole tables. Only PostgreSQL's is one.
type Loader interface {
	Session

	// Hold locks the tables against everybody else until the transaction ends. Errors: ErrNotEmpty.
	Hold(tables []string) error
	// Load writes the rows that each passes to row into an empty table that Hold has locked. The values of a row are
	// in the order of columns; types are those of Catalog.Columns.
	Load(table string, columns, types []string, each func(row func(Rows) error) error) (rows int64, err error)
}
