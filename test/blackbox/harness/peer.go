package harness

import (
	"path/filepath"
	"testing"
)

// Peer starts one more process on the same PostgreSQL database, with the same options and master key, at its own
// address. It ends like the first one. A SQLite store belongs to one process and has no peers.
func (s *Server) Peer(t testing.TB) *Server {
	t.Helper()
	if s.database == "" {
		t.Fatal("only a store on PostgreSQL takes a second process")
	}
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	p := &Server{
		Base: "http://" + address, Engine: s.Engine, Dir: s.Dir, t: t, options: s.options,
		binary: s.binary, database: s.database, logPath: filepath.Join(t.TempDir(), "server.log"),
	}
	p.Launch()
	t.Cleanup(p.close)
	return p
}
