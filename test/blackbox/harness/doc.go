// Package harness runs the service as its users do: a process with a store of its own, called only through HTTP and
// the command line. It uses no package of the service.
//
// The types:
//
//	Binary    the program, built once per test process (with the race detector if the test has it)
//	Server    one running process on one store; it can be stopped, killed and started again
//	Engine    which store: SQLite in a folder, or a new PostgreSQL database
//	Account   one merchant account on a server, with an owner's login and a key with every scope
//	Client    one credential for one server
//	Answer    a response, byte for byte
//	Receiver  a webhook endpoint of the tests: it keeps deliveries and checks their signatures
//	Match     compares a JSON answer with an expectation in the notation of the interface document
package harness
