package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// page selects a part of a list.
type page struct {
	Number int // from 1
	Limit  int
}

// Offset is how many rows come before the page.
func (p page) Offset() int { return (p.Number - 1) * p.Limit }

// readPage reads page and limit (perPage is the same); a limit above most is cut to most (interface §4.1).
func readPage(q *apijson.Query, usual, most int) page {
	p := page{Number: q.Int("page", 1, 1, 1_000_000_000), Limit: q.Int("limit", usual, 1, most)}
	if per := q.Int("perPage", usual, 1, most); q.Has("perPage") && !q.Has("limit") {
		p.Limit = per
	}
	return p
}

// readTimes reads from and to, both included, in microseconds; 0 for one that is not given.
func readTimes(q *apijson.Query) (from, to int64) {
	if at, given := q.Time("from", false); given {
		from = max(1, at.UnixMicro())
	}
	if at, given := q.Time("to", true); given {
		to = max(1, at.UnixMicro())
	}
	return from, to
}

// writeMeta writes the meta of a paged list.
func writeMeta(w *apijson.Writer, p page, total int64, more func(w *apijson.Writer)) {
	w.Record(choose(more == nil, "PageMeta", "CursorPageMeta"), "meta")
	w.Int("page", int64(p.Number))
	w.Int("limit", int64(p.Limit))
	w.Int("total", total)
	w.Int("totalPages", (total+int64(p.Limit)-1)/int64(p.Limit))
	if more != nil {
		more(w)
	}
	w.End()
}

// writeCountMeta writes the meta of a list that has no pages.
func writeCountMeta(w *apijson.Writer, total int) {
	w.Record("CountMeta", "meta")
	w.Int("total", int64(total))
	w.End()
}

// writeWhole writes a list that is not cut into pages.
func writeWhole[T any](w *apijson.Writer, list []T, each func(T)) {
	w.Object("")
	w.List("data")
	for _, one := range list {
		each(one)
	}
	w.EndList()
	writeCountMeta(w, len(list))
	w.End()
}

// listFew answers a page of records of a kind with few records in an account: read reads the page and how many there
// are on all pages, write writes one record.
func listFew[T any](a *API, r *request, p page, read func(tx *db.Tx) (list []T, total int64, err error),
	write func(w *apijson.Writer, record *T)) (out answer, err error) {
	err = a.read(r, func(tx *db.Tx) error {
		list, total, err := read(tx)
		out = one(http.StatusOK, "", func(w *apijson.Writer) {
			w.List("data")
			for i := range list {
				write(w, &list[i])
			}
			w.EndList()
			writeMeta(w, p, total, nil)
		})
		return err
	})
	return out, err
}

// writeRows writes the elements of a list, and calls cut after each.
func writeRows[T any](r *request, w *apijson.Writer, list []T, write func(*T)) error {
	for i := range list {
		write(&list[i])
		if err := r.cut(w); err != nil {
			return err
		}
	}
	return nil
}

// inPieces passes a list of ids in pieces to read, which reads and writes the elements. The first piece is small; the
// size of its elements determines the size of the next ones.
func inPieces[T any](w *apijson.Writer, list []T, read func(piece []T) error) error {
	began := w.Len()
	for done, size := 0, listPiece; done < len(list); {
		piece := list[done:min(done+size, len(list))]
		if err := read(piece); err != nil {
			return err
		}
		done += len(piece)
		size = nextPiece(size, done, w.Len()-began)
	}
	return nil
}

// nextPiece is how many elements to read after done elements, when the last piece of size elements gave so many
// bytes.
func nextPiece(size, done, written int) int {
	return max(1, min(size*pieceGrowth, pieceBytes*done/max(1, written)))
}

// listPiece is how many elements of a list are read first: a page of the usual size.
const listPiece = 20

// sampleList describes a paged list by its elements.
func sampleList(w *apijson.Writer, elements ...func(w *apijson.Writer)) {
	sampleListMeta(w, nil, elements)
}

// sampleCursorList describes a paged list that also has a cursor.
func sampleCursorList(w *apijson.Writer, elements ...func(w *apijson.Writer)) {
	sampleListMeta(w, nextCursor(""), elements)
}

func sampleListMeta(w *apijson.Writer, more func(w *apijson.Writer), elements []func(w *apijson.Writer)) {
	w.Object("")
	w.List("data")
	for _, write := range elements {
		write(w)
	}
	w.EndList()
	writeMeta(w, page{Number: 1, Limit: 20}, int64(len(elements)), more)
	w.End()
}

// cursorID is an id of a cursor.
func cursorID[T ~string](q *apijson.Query, text string) T {
	which, ok := id.Parse[T](text)
	if !ok {
		q.BadCursor()
	}
	return which
}

// nextCursor writes the member of meta with which a caller continues the list; "" is null.
func nextCursor(text string) func(w *apijson.Writer) {
	return func(w *apijson.Writer) { w.TextOrNull("nextCursor", text) }
}

// behind is the cursor of what comes behind a page, by the sort values of its last record; "" when the page is not
// full: then nothing comes.
func behind[T any](name string, list []T, p page, values func(last *T) []string) string {
	if len(list) < p.Limit {
		return ""
	}
	return apijson.CursorText(name, values(&list[len(list)-1])...)
}
