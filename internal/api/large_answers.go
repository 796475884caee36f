package api

import (
	"bytes"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/disk"
	"entrepot/internal/base/overload"
	"entrepot/internal/base/processors"
	"entrepot/internal/db"
)

// Bounds of large answers (interface §8), sizes in bytes.
const (
	largeFrom   = 4 << 20 // of an answer's text: a larger one is written only with one of a few permits
	unloadFrom  = 1 << 20 // of the packed text in memory: what exceeds it goes to the answer's file
	leastFree   = 1 << 30 // of the disk, which files of answers leave free
	diskTimes   = 16      // all files together may have that many times the node's budget of memory
	largeWait   = time.Minute
	largeQueued = 128 // requests that may wait for a permit
)

// errLarge interrupts the writing of an answer that turns out to be large and has no permit: it is written again with
// one.
var errLarge = errors.New("api: a large answer without a place")

// large is the node's resources for large answers: permits, few enough that small reads get a connection to the
// store, and disk space.
type large struct {
	folder string
	places *overload.Budget // two for each processor; one account has at most half of them
	disk   *overload.Budget // bytes
	queued atomic.Int64
}

func newLarge(folder string, memory int64) *large {
	return &large{folder: folder, places: overload.NewBudget(int64(2 * processors.Count())), disk: overload.NewBudget(diskTimes * memory)}
}

// overflow is the file of one large answer.
type overflow struct {
	large *large
	place overload.Share
	disk  overload.Share
	file  *disk.Temporary
	full  bool // the disk takes no more of the answer
}

// list answers {"data": […], "meta": {…}}. rows reads and writes the elements, and returns how many there are on all
// pages.
func (a *API) list(r *request, p page, rows func(tx *db.Tx, w *apijson.Writer) (total int64, err error)) (answer, error) {
	return a.listWith(r, p, func(tx *db.Tx, w *apijson.Writer) (int64, func(*apijson.Writer), error) {
		total, err := rows(tx, w)
		return total, nil, err
	})
}

// cursorList is list for one that has a cursor, too: rows also returns that of what comes behind the page.
func (a *API) cursorList(r *request, p page,
	rows func(tx *db.Tx, w *apijson.Writer) (total int64, next string, err error)) (answer, error) {
	return a.listWith(r, p, func(tx *db.Tx, w *apijson.Writer) (int64, func(*apijson.Writer), error) {
		total, next, err := rows(tx, w)
		return total, nextCursor(next), err
	})
}

func (a *API) listWith(r *request, p page,
	rows func(tx *db.Tx, w *apijson.Writer) (total int64, more func(*apijson.Writer), err error)) (answer, error) {
	return a.paged(r, func(tx *db.Tx, w *apijson.Writer) error {
		w.Object("")
		w.List("data")
		total, more, err := rows(tx, w)
		if err != nil {
			return err
		}
		w.EndList()
		writeMeta(w, p, total, more)
		w.End()
		return nil
	})
}

// paged answers what read reads on a snapshot and writes, calling cut after each element. If the answer turns out to
// be large, read runs once more with a permit for large answers.
func (a *API) paged(r *request, read func(tx *db.Tx, w *apijson.Writer) error) (answer, error) {
	w := writers.Get().(*apijson.Writer)
	w.Reset()
	r.writer = w
	run := func(tx *db.Tx) error {
		w.Reset()
		if err := r.overflow.rewind(); err != nil {
			return err
		}
		return read(tx, w)
	}
	err := a.readWide(r, run)
	if errors.Is(err, errLarge) {
		w = apijson.NewWriter(apijson.BlockSize)
		if err = a.pause(r, r.waitLarge); err == nil {
			err = a.readWide(r, run)
		}
	}
	if err == nil && r.overflow.file != nil {
		err = r.overflow.take(r, w.Parts())
	}
	r.overflow.place.Release()
	if err != nil {
		return answer{}, err
	}
	out := answer{status: http.StatusOK, parts: w.Parts(), body: w.Bytes()}
	if out.parts != nil {
		out.body = bytes.Clone(out.body) // without the rest of its buffer
	}
	return out, nil
}

// writers are buffers of answers that were sent, for the next ones.
var writers = sync.Pool{New: func() any { return apijson.NewWriter(4096) }}

// recycle keeps the buffer of the answer for others, unless it is large. Nothing may read the answer after that.
func (r *request) recycle() {
	if r.writer != nil && cap(r.writer.Bytes()) <= apijson.PackFrom {
		writers.Put(r.writer)
	}
	r.writer = nil
}

// waitLarge waits for a permit to write a large answer. Errors: Unavailable; the context's.
func (r *request) waitLarge() error {
	o := &r.overflow
	if o.large.queued.Add(1) > largeQueued {
		o.large.queued.Add(-1)
		return overload.Full()
	}
	defer o.large.queued.Add(-1)
	o.place = o.large.places.Share(0)
	o.place.Account, o.place.Wait, r.large = r.share.Account, largeWait, true
	return o.place.Grow(r.ctx(), 1)
}

// cut packs what was written of a large answer, and moves the packed text to a file, or reserves memory for it.
// Errors: errLarge; Unavailable.
func (r *request) cut(w *apijson.Writer) error {
	if !w.Cut() {
		return nil
	}
	if !r.large && w.Len() >= largeFrom {
		return errLarge
	}
	if w.Held() >= unloadFrom {
		if err := r.overflow.take(r, w.Parts()); err != nil {
			return err
		}
	}
	return r.willWrite(w.Held())
}

// take moves the packed text from memory to the answer's file. What the disk does not take stays in memory. Errors:
// Unavailable, when all files together are as large as allowed; the context's.
func (o *overflow) take(r *request, parts *apijson.Parts) error {
	if free, known := disk.Free(o.large.folder); o.full || known && free < leastFree {
		o.full = true
		return nil
	}
	if o.file == nil {
		file, err := disk.NewTemporary(o.large.folder)
		if err != nil {
			o.full = true
			return nil
		}
		o.file, o.disk = file, o.large.disk.Share(0)
		o.disk.Account, o.disk.Wait = r.share.Account, largeWait
	}
	if err := o.disk.Grow(r.ctx(), int64(parts.Held())); err != nil {
		return err
	}
	o.full = parts.Unload(o.file) != nil
	return nil
}

// rewind empties the file.
func (o *overflow) rewind() error {
	o.full = false
	if o.file == nil {
		return nil
	}
	o.disk.Release()
	if err := o.file.Truncate(0); err != nil {
		return err
	}
	_, err := o.file.Seek(0, 0)
	return err
}

// close releases the file and its space.
func (o *overflow) close() {
	o.place.Release()
	o.disk.Release()
	if o.file != nil {
		o.file.Close()
	}
}
