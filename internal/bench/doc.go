// Package bench measures a running entrepot from outside, over HTTP, and the
// bare database driver beside it, so that every figure can be printed as a
// share of what the driver alone can do.
//
// Who is who:
//   - Options say what to run; Run runs it and answers a Report.
//   - A scenario is one kind of traffic (orders, prices, feed …) with the seed
//     step that makes what it needs. A source is one client's endless supply
//     of ready-made requests for it.
//   - A conn is one client's keep-alive connection. The loop is closed: a
//     client sends its next request when the answer to the last one is in.
//   - A Histogram holds the waiting times of one client; they are merged when
//     the run is over.
//   - A baseline writes the same rows without the service: SQLite with group
//     commit, or PostgreSQL through a pool. Its tables are its own.
//   - ColdStart starts a binary again and again and weighs it.
//
// The client shares the machine with the service, so it is built to cost as
// little as it can: bodies are rendered by appending or by patching digits in
// a body made once, answers are read raw and mostly thrown away, compression
// is never asked for. See docs/performance.md for what it costs.
//
// This package knows both database engines and imports nothing of the
// project: a baseline that used the code it measures would measure nothing.
package bench
