// Package floods sends a real service load that must not bring it down, within bounds and over loopback only, and
// reads from the system the largest memory of its process (interface §8).
//
//	go test ./test/floods            some seconds for each flood
//	go test ./test/floods -long      with more callers, and on both engines
package floods
