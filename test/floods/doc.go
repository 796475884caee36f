// Package floods sends a real service what it must not be taken down by, within bounds and over loopback only, and reads from the
// system how much memory its process took at the most (interface §8).
//
//	go test ./test/floods            some seconds for each flood
//	go test ./test/floods -long      with more callers, and on both engines
package floods
