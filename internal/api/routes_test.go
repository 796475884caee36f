package api

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Whoever looks for an operation of the description finds the function that serves it: they have one name. A function that serves several
// routes has the name of one of them.
func TestHandlersAreNamedLikeOperations(t *testing.T) {
	operations := map[string][]string{} // by function
	for _, r := range routes() {
		name := runtime.FuncForPC(reflect.ValueOf(r.serve).Pointer()).Name()
		name = name[strings.LastIndex(name, ".")+1:]
		operations[name] = append(operations[name], r.name)
	}
	for name, of := range operations {
		if !slices.Contains(of, name) {
			t.Errorf("%s serves %s", name, strings.Join(of, ", "))
		}
	}
}
