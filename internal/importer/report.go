package importer

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"entrepot/internal/base/workbook"
)

// report writes the errors to a file: CSV, or JSON lines when its name ends in .jsonl or .json.
type report struct {
	file  *os.File
	buf   *bufio.Writer
	lines *csv.Writer // nil for JSON lines
}

var reportHeader = []string{"row", "line", "level", "rows", "item", "field", "code", "message"}

// openReport begins a report, or continues one behind its first kept bytes.
func openReport(path string, kept int64) (*report, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, wrongCall("the report cannot be written: %v", err)
	}
	if err := f.Truncate(kept); err != nil {
		return nil, wrongCall("the report cannot be written: %v", errors.Join(err, f.Close()))
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r := &report{file: f, buf: bufio.NewWriter(f)}
	if !strings.HasSuffix(path, ".jsonl") && !strings.HasSuffix(path, ".json") {
		r.lines = csv.NewWriter(r.buf)
		if kept == 0 {
			err = r.lines.Write(reportHeader)
		}
	}
	return r, err
}

func (r *report) write(f Fault) error {
	if r.lines == nil {
		text, err := json.Marshal(f)
		if err != nil {
			return err
		}
		_, err = r.buf.Write(append(text, '\n'))
		return err
	}
	return r.lines.Write([]string{
		strconv.Itoa(f.Row), strconv.Itoa(f.Line), string(f.Level), strconv.Itoa(f.Rows), workbook.Harmless(f.Item), f.Field, f.Code, workbook.Harmless(f.Message),
	})
}

// flush brings everything written so far into the file and reports its length.
func (r *report) flush() (int64, error) {
	if r.lines != nil {
		r.lines.Flush()
		if err := r.lines.Error(); err != nil {
			return 0, fmt.Errorf("writing the report: %w", err)
		}
	}
	if err := r.buf.Flush(); err != nil {
		return 0, fmt.Errorf("writing the report: %w", err)
	}
	return r.file.Seek(0, io.SeekCurrent)
}

func (r *report) close() error {
	_, err := r.flush()
	return errors.Join(err, r.file.Close())
}
