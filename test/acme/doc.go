// Package acme has the service order its certificates from Pebble, the authority that Let's Encrypt tests clients with.
// It is a module of its own, so that Pebble's modules are none of the service's.
package acme
