// Package crash kills the service without warning while clients write, starts it again on the same store, and compares
// the store with the clients' own journals: nothing that was answered is lost, nothing was done twice or by half,
// every event is there, and a repeated request gets exactly the bytes of its first answer.
//
// With -pauses it also stops nodes for a while, as a virtual machine that is paused (paused_test.go).
//
//	go test ./test/crash -kills 3          each engine; make crash does more
package crash
