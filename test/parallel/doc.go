// Package parallel lets many clients use everything that the API offers at the same time, at random, on one account of
// a service with two nodes (one on SQLite), and then compares the store, the change feeds, the webhooks and the
// engine's own log with the answers that the clients received.
//
//	operation   one writing request of the API, with its weight: operations_*_test.go
//	client      sends operations at random and checks each answer: client_test.go
//	walker      follows one change feed in one of the three ways to keep since: walker_test.go
//	sink        a webhook endpoint of the test: sink_test.go
//	audit       what must hold when all have stopped: audit_test.go
//
// By hand, for any duration; a seed repeats the clients' choices, but not the order in which the service receives them:
//
//	go test ./test/parallel -count=1 -v -duration 60s -slowest 2s -seed 7
package parallel
