// Package apijson reads and writes the JSON of the interface.
//
//	Object   jsonvalue.Value → fields: every error of a body is collected with its path, none hides another (interface §7)
//	Query    the same for query parameters
//	Writer   values → bytes, appended by hand: no reflection on the hot path
//	Schema   what Object, Query and Writer say of themselves: one description for check, answer and OpenAPI document
package apijson
