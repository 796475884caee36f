package dbtest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// Dying is a context that ends once it was asked n times whether it has, as each transaction asks when it begins.
func Dying(ctx context.Context, n int64) context.Context {
	d := dying{ctx, &atomic.Int64{}}
	d.left.Store(n)
	return d
}

type dying struct {
	context.Context
	left *atomic.Int64
}

// Err implements context.Context.
func (d dying) Err() error {
	if d.left.Add(-1) < 0 {
		return context.Canceled
	}
	return d.Context.Err()
}

// BeforeWrite is a context with which do is called once, before the first transaction that writes begins: between what an operation has
// read before and that transaction.
func BeforeWrite(ctx context.Context, do func()) context.Context {
	return beforeWrite{ctx, do, new(atomic.Bool)}
}

type beforeWrite struct {
	context.Context
	do   func()
	done *atomic.Bool
}

// Err implements context.Context.
func (b beforeWrite) Err() error {
	if pc, _, _, ok := runtime.Caller(1); ok && strings.HasSuffix(runtime.FuncForPC(pc).Name(), "/db.(*DB).write") && !b.done.Swap(true) {
		b.do()
	}
	return b.Context.Err()
}

// DiesAtEveryStep runs an operation in steps again and again, with a context that ends before its first transaction, its second, and so on,
// until it comes to its end. A round returns the operation's error; at least so many rounds must have died.
func DiesAtEveryStep(t *testing.T, least int64, round func(ctx context.Context, n int64) error) {
	t.Helper()
	for n := range int64(100) {
		err := round(Dying(t.Context(), n), n)
		if err == nil {
			if n < least {
				t.Errorf("it died %d times", n)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	t.Fatal("it never ended")
}
