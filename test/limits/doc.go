// Package limits tests the rate limits of interface §8 across several processes: three nodes on one PostgreSQL
// database, one API key, many clients at once, and an exact count of the accepted requests.
//
//	go test ./test/limits
package limits
