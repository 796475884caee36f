// Package crash ends the service, or its database, while clients write, and compares the store with the clients' own journals: nothing that
// was answered is lost, nothing was done twice or by half, every event is there and was delivered, and a repeated request gets the bytes of
// its first answer.
//
//	journal_test.go   the clients: random requests, each repeated under its key until it is answered
//	audit_test.go     what must hold afterwards, whatever happened
//	crash_test.go     the service is killed and started again
//	paused_test.go    a node stops for a while, as a virtual machine that is paused
//	failover_test.go  PostgreSQL's primary is killed and its standby promoted
//
// The other files end one operation at a chosen moment. make crash and make failover do more of it:
//
//	go test ./test/crash -kills 3 -rounds 2
package crash
