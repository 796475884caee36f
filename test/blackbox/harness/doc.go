// Package harness runs the service as its users meet it: a process with a store of its own,
// reached only through HTTP and the command line. Nothing here knows how the service works inside.
//
// Who is who:
//
//	Binary    the program, built once per test process (with the race detector if the test has it)
//	Server    one running process on one store; it can be stopped, killed and started again
//	Engine    which store: SQLite in a folder, or a fresh PostgreSQL database
//	Account   one merchant account on a server, with an owner's login and a key of every scope
//	Client    one credential speaking to one server
//	Answer    what came back, byte for byte
//	Receiver  a webhook endpoint of our own: it keeps deliveries and checks their signatures
//	Match     compares a JSON answer with an expectation that reads like the interface document
package harness
