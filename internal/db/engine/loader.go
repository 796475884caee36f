package engine

// Loader is a session that takes whole tables. Only PostgreSQL's is one.
type Loader interface {
	Session

	// Hold keeps everybody else from the tables until the transaction ends. Errors: ErrNotEmpty.
	Hold(tables []string) error
	// Load writes what each calls row with into an empty table that is held. The values of a row are in the order of the columns; types are
	// those of Catalog.Columns.
	Load(table string, columns, types []string, each func(row func(Rows) error) error) (rows int64, err error)
}
