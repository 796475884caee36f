// Package crash kills the service without warning while clients write, starts it again on the same store, and
// audits the store against the clients' own journals: nothing answered was lost, nothing was done twice, nothing
// was half done, every event is there, and a repeated request gets the very bytes of its first answer.
//
//	go test ./test/crash -kills 3          each engine; make crash does more
package crash
