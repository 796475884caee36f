// Package failover lets clients write to two nodes whose PostgreSQL primary is killed again and again: its synchronous
// standby is promoted, and the killed server becomes the standby of the new primary. The nodes are not notified: their
// --database names both servers. Then the store, the event log, the webhooks and a change feed are compared with the
// answers that the clients received.
//
//	go test ./test/failover -rounds 2          make failover does more
package failover
