// Package clients generates clients from the API description that a running service serves, with the generators that people use, and
// calls the service with them: oapi-codegen for Go, openapi-typescript with openapi-fetch and @hey-api/openapi-ts for Node.
// What they generate is kept nowhere.
//
//	go test ./test/clients
package clients
