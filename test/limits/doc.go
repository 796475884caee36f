// Package limits holds the rate limits of interface §8 over several real processes: three nodes on one PostgreSQL
// database, one API key, many clients at once, and a count of exactly what passed.
//
//	go test ./test/limits
package limits
