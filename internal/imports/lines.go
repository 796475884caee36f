package imports

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Line is a message about a row of the file: why it was refused, or how it was changed when it was stored.
type Line struct {
	Import   id.Import
	Dry      bool // of the dry run
	Position int64
	Row      int64 // from 1, the header not counted; 0 for none
	Line     int64 // of the file; 0 for none
	Refused  bool  // not stored; otherwise a note
	Rows     int64 // rows of the file that it accounts for
	Item     string
	Field    string
	Code     string
	Message  string
}

var lineTable = db.NewTable("import_lines",
	db.Col("import_id", func(l *Line) any { return &l.Import }),
	db.Col("dry", func(l *Line) any { return &l.Dry }),
	db.Col("position", func(l *Line) any { return &l.Position }),
	db.Col("row_number", func(l *Line) any { return &l.Row }),
	db.Col("line", func(l *Line) any { return &l.Line }),
	db.Col("refused", func(l *Line) any { return &l.Refused }),
	db.Col("row_count", func(l *Line) any { return &l.Rows }),
	db.Col("item", func(l *Line) any { return &l.Item }),
	db.Col("field", func(l *Line) any { return &l.Field }),
	db.Col("code", func(l *Line) any { return &l.Code }),
	db.Col("message", func(l *Line) any { return &l.Message }),
)

// MaxLines is how many lines of an import are stored; its progress counts all.
const MaxLines = 100_000

// InsertLines queues lines.
func InsertLines(tx db.Writer, list []Line) { lineTable.Insert(tx, list...) }

// NextPosition is the position of the next line of an import.
func NextPosition(tx *db.Tx, which id.Import, dry bool) (next int64, err error) {
	return next, tx.Row("SELECT coalesce(max(position) + 1, 0) FROM import_lines WHERE tenant_id = $1 AND import_id = $2::UUID AND dry = $3",
		[]any{tx.Tenant, which, dry}, &next)
}

// ClearLines deletes the lines of an import's dry run, or of the import itself.
func ClearLines(tx db.Writer, which id.Import, dry bool) {
	tx.Queue("DELETE FROM import_lines WHERE tenant_id = $1 AND import_id = $2::UUID AND dry = $3", tx.TenantID(), which, dry)
}

// Lines reads lines of an import after a position, refused rows only or all.
func Lines(tx *db.Tx, which id.Import, dry, refused bool, after int64, limit int) ([]Line, error) {
	only := ""
	if refused {
		only = "AND refused "
	}
	return lineTable.All(tx, "AND import_id = $2::UUID AND dry = $3 AND position > $4 "+only+"ORDER BY position LIMIT $5::BIGINT", which, dry,
		after, limit)
}

// EachLine reads all lines of an import, in the order of the file.
func EachLine(tx *db.Tx, which id.Import, dry, refused bool, do func(Line) error) error {
	for after := int64(-1); ; {
		list, err := Lines(tx, which, dry, refused, after, 1000)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, l := range list {
			if err := do(l); err != nil {
				return err
			}
			after = l.Position
		}
	}
}
