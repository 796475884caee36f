// Package clients generates clients from the API description that a running service serves, with generators that are
// widely used, and calls the service with them: oapi-codegen for Go, openapi-typescript with openapi-fetch and
// @hey-api/openapi-ts for Node. The generated code is not kept.
//
//	go test ./test/clients
package clients
