// Package apijson reads and writes the JSON of the interface.
//
//	Object   jsonvalue.Value → fields: collects all errors of a body, each with its path (interface §7)
//	Query    the same for query parameters
//	Writer   values → bytes, appended by hand: no reflection on the hot path
//	Schema   derived from Object, Query and Writer: one description for check, answer and OpenAPI document
package apijson
