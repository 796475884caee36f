package limits

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/db"
)

// Shared counts in the store, so that the sum over all nodes is exact (interface §8). A caller's windows are one row,
// locked while a request is decided; at the allowed rates (at most 33 a second for each caller) requests do not wait
// for it. A node refuses by itself what it knows to be exhausted: other nodes can only prolong that.
type Shared struct {
	store *db.DB
	onErr func(error)

	mu    sync.Mutex
	spent map[string]spent
	swept time.Time
}

// spent is a refusal that is valid until a time.
type spent struct {
	verdict Verdict
	until   time.Time
}

// NewShared counts in a store. If the store does not answer, requests pass and onErr is called: the request itself
// will meet the same store a moment later.
func NewShared(store *db.DB, onErr func(error)) *Shared {
	return &Shared{store: store, onErr: onErr, spent: map[string]spent{}}
}

// Take implements Limiter.
func (s *Shared) Take(caller string, now time.Time, rates ...Rate) Verdict {
	return s.decide(caller, now, rates, true)
}

// Peek implements Limiter.
func (s *Shared) Peek(caller string, now time.Time, rates ...Rate) Verdict {
	return s.decide(caller, now, rates, false)
}

// Return implements Limiter.
func (s *Shared) Return(caller string, now time.Time, rates ...Rate) {
	err := s.store.Write(context.Background(), db.Across, func(tx *db.Tx) error {
		var text string
		err := tx.Row("SELECT windows FROM rate_windows WHERE caller = $1 FOR UPDATE", []any{caller}, &text)
		if errors.Is(err, db.ErrNoRow) {
			return nil
		}
		if err != nil {
			return err
		}
		local := &Local{windows: decode(caller, text), swept: now}
		local.Return(caller, now, rates...)
		tx.Queue("UPDATE rate_windows SET windows = $2, updated_at = $3 WHERE caller = $1", caller, local.encode(now), now.UnixMicro())
		return nil
	})
	if err != nil {
		s.onErr(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.spent, spentKey(caller, rates))
}

// spentKey identifies a caller's rates among the refusals that a node remembers. Under another plan nothing is known
// of the caller.
func spentKey(caller string, rates []Rate) string {
	for _, r := range rates {
		caller += "\x00" + r.Name + "\x00" + strconv.Itoa(r.PerMinute) + "/" + strconv.Itoa(r.Burst)
	}
	return caller
}

func (s *Shared) decide(caller string, now time.Time, rates []Rate, count bool) Verdict {
	key := spentKey(caller, rates)
	if v, ok := s.known(key, now); ok {
		return v
	}
	var v Verdict
	err := s.store.Write(context.Background(), db.Across, func(tx *db.Tx) error {
		var text string
		err := tx.Row("SELECT windows FROM rate_windows WHERE caller = $1 FOR UPDATE", []any{caller}, &text)
		fresh := errors.Is(err, db.ErrNoRow)
		if err != nil && !fresh {
			return err
		}
		local := &Local{windows: decode(caller, text), swept: now}
		v = local.decide(caller, now, rates, count)
		if !count || !v.Allowed {
			return nil
		}
		if fresh {
			tx.Queue("INSERT INTO rate_windows (caller, windows, updated_at) VALUES ($1,$2,$3) ON CONFLICT DO NOTHING", caller, local.encode(now),
				now.UnixMicro()).Rows(1, nil)
			return nil
		}
		tx.Queue("UPDATE rate_windows SET windows = $2, updated_at = $3 WHERE caller = $1", caller, local.encode(now), now.UnixMicro()).Rows(1,
			nil)
		return nil
	})
	if err != nil {
		s.onErr(err)
		return Off{}.Peek(caller, now, rates...)
	}
	if !v.Allowed {
		s.remember(key, v, now)
	}
	s.dropExpired(now)
	return v
}

// known is a remembered refusal that is still valid.
func (s *Shared) known(key string, now time.Time) (Verdict, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.spent[key]
	if !ok || !now.Before(k.until) {
		return Verdict{}, false
	}
	v := k.verdict
	v.RetryAfter = min(v.RetryAfter, k.until.Sub(now))
	return v, true
}

func (s *Shared) remember(key string, v Verdict, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.spent) >= maxWindows {
		clear(s.spent) // the store still has them
	}
	s.spent[key] = spent{v, now.Add(v.RetryAfter)}
}

// Rows of callers without a request for this long have no effect any more, and are deleted in batches of this size.
const (
	rowsLast      = 2 * time.Minute
	deletedAtOnce = 5000
)

// dropExpired deletes ended windows once a minute: in this node and in the store.
func (s *Shared) dropExpired(now time.Time) {
	s.mu.Lock()
	due := now.Sub(s.swept) > time.Minute
	if due {
		s.swept = now
		for k, old := range s.spent {
			if now.After(old.until) {
				delete(s.spent, k)
			}
		}
	}
	s.mu.Unlock()
	if !due {
		return
	}
	if err := s.store.Write(context.Background(), db.Across, func(tx *db.Tx) error {
		tx.Queue("DELETE FROM rate_windows WHERE caller IN (SELECT caller FROM rate_windows WHERE updated_at < $1 ORDER BY updated_at LIMIT "+
			"$2::BIGINT)",
			now.Add(-rowsLast).UnixMicro(), deletedAtOnce)
		return nil
	}); err != nil {
		s.onErr(err)
	}
}

// encode encodes the windows that have not ended: "name|start|used|t,t,t" in each line, times in microseconds.
func (l *Local) encode(now time.Time) string {
	var b strings.Builder
	for key, w := range l.windows {
		if now.Sub(w.start) >= time.Minute {
			continue
		}
		_, name, _ := strings.Cut(key, "\x00")
		b.WriteString(name + "|" + strconv.FormatInt(w.start.UnixMicro(), 10) + "|" + strconv.Itoa(w.used) + "|" + strconv.Itoa(len(w.recent)) +
			"|")
		for i := range w.recent {
			at := w.recent[(w.next+i)%len(w.recent)]
			if now.UnixMicro()-at < time.Second.Microseconds() {
				b.WriteString(strconv.FormatInt(at, 36) + ",")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// decode parses the text of encode.
func decode(caller, text string) map[string]*window {
	windows := map[string]*window{}
	for line := range strings.Lines(text) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if len(part) != 5 {
			continue
		}
		start, _ := strconv.ParseInt(part[1], 10, 64)
		used, _ := strconv.Atoi(part[2])
		size, _ := strconv.Atoi(part[3])
		w := &window{start: time.UnixMicro(start).UTC(), used: used}
		for at := range strings.SplitSeq(strings.TrimSuffix(part[4], ","), ",") {
			// oldest first, as in a new ring
			if n, err := strconv.ParseInt(at, 36, 64); err == nil && len(w.recent) < size {
				w.recent = append(w.recent, n)
			}
		}
		windows[caller+"\x00"+part[0]] = w
	}
	return windows
}
