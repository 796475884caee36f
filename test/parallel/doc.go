// Package parallel lets many clients do everything the API offers at the same time, at random, to one account of a
// service with two nodes (one on SQLite), and then holds the store, the change feeds, the webhooks and the engine's own
// log against what the clients were answered.
//
//	operation   one writing request of the API, with its weight: operations_*_test.go
//	client      sends operations at random and judges each answer: client_test.go
//	walker      follows one change feed in one of the three ways to keep since: walker_test.go
//	sink        a webhook endpoint of our own: sink_test.go
//	audit       what must hold when all have stopped: audit_test.go
//
// By hand, for as long as wanted; a seed repeats the clients' choices, not the order in which the service meets them:
//
//	go test ./test/parallel -count=1 -v -duration 60s -slowest 2s -seed 7
package parallel
