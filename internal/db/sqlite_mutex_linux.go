package db

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite "modernc.org/sqlite/lib"
)

// spins is how often a taken lock of the library is tried before the goroutine goes to sleep over it. All connections share the lock of
// the page cache, for a fraction of a microsecond each; a writer that slept over it would wake only when one of the processors is
// free of a request, half a millisecond later.
const spins = 1000

// patientLocks has the library try its locks for a while. It must be called before the first connection is opened.
var patientLocks = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	defer tls.Close()
	size := types.Size_t(unsafe.Sizeof(sqlite.Tsqlite3_mutex_methods{}))
	methods, args := libc.Xmalloc(tls, size), libc.Xmalloc(tls, 8)
	defer libc.Xfree(tls, args)
	if sqlite.Xsqlite3_initialize(tls) != sqlite.SQLITE_OK || // only then are there methods
		sqlite.Xsqlite3_shutdown(tls) != sqlite.SQLITE_OK || // and only then may they be changed
		sqlite.Xsqlite3_config(tls, sqlite.SQLITE_CONFIG_GETMUTEX, libc.VaList(args, methods)) != sqlite.SQLITE_OK {
		return
	}
	m := (*sqlite.Tsqlite3_mutex_methods)(unsafe.Pointer(unsafe.SliceData(memory(methods, int(size)))))
	enter := *(*func(*libc.TLS, uintptr))(unsafe.Pointer(&struct{ uintptr }{m.FxMutexEnter}))
	try := *(*func(*libc.TLS, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{m.FxMutexTry}))
	patient := func(tls *libc.TLS, mutex uintptr) {
		for range spins {
			if try(tls, mutex) == sqlite.SQLITE_OK {
				return
			}
		}
		enter(tls, mutex)
	}
	patientEnter = patient
	m.FxMutexEnter = *(*uintptr)(unsafe.Pointer(&struct {
		f func(*libc.TLS, uintptr)
	}{patient}))
	sqlite.Xsqlite3_config(tls, sqlite.SQLITE_CONFIG_MUTEX, libc.VaList(args, methods))
})

var patientEnter func(*libc.TLS, uintptr) // the library holds it by its address only
