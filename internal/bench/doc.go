// Package bench measures a running entrepot from outside, over HTTP, and the database driver alone as a baseline, so
// that every figure can be printed as a share of what the driver alone can do.
//
// The types:
//   - Options say what to run; Run runs it and returns a Report.
//   - A scenario is one kind of traffic (orders, prices, feed …) with the seed
//     step that creates what it needs. A source supplies the requests of one
//     client.
//   - A conn is one client's keep-alive connection. The loop is closed: a
//     client sends its next request when the last one is answered.
//   - A Histogram has the waiting times of one client; they are merged when
//     the run is over.
//   - A baseline writes the same rows without the service: SQLite with group
//     commit, or PostgreSQL through a pool. Its tables are its own.
//   - ColdStart starts a program repeatedly and measures its start, end and
//     memory.
//
// The client shares the machine with the service, so it is built to cost little: bodies are rendered by appending or
// by overwriting digits in a prepared body, answers are read raw and mostly discarded, and compression is never
// requested. docs/performance.md has its cost.
//
// This package uses both database engines and imports nothing of the project, because a baseline must not use the code
// that it is compared with.
package bench
