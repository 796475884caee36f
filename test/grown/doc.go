// Package grown measures the lists, searches, feeds and figures of an account with many records, and one account's
// orders while another one searches.
//
// In the tests the account is small and only the answers count. At its full size it prints times; -goal makes a request
// whose median is slower fail:
//
//	go test ./test/grown -count=1 -timeout 2h -v -rows 1000000 -times 20 -goal 20ms
package grown
