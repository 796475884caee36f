package shopify

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"entrepot/internal/connector"
)

// many is a mutation with one field for each of several objects: each has an alias, and variables of its own. Shopify
// does them in their order, and one that is refused keeps no other from being done.
type many struct {
	name, field string
	fixed       string // further arguments that are the same for all
	answer      string
	arguments   []argument
}

// argument is an argument of a field, the variable that it is given by, and its type.
type argument struct{ name, variable, kind string }

// mostFields is how many objects one mutation changes: each costs ten points, of which a query may cost a thousand.
const mostFields = 20

// text is the mutation for n objects.
func (m many) text(n int) string {
	var declared, body strings.Builder
	for i := range n {
		fmt.Fprintf(&body, "  a%d: %s(", i, m.field)
		for k, a := range m.arguments {
			fmt.Fprintf(&declared, "$%s%d: %s ", a.variable, i, a.kind)
			if k > 0 {
				body.WriteString(", ")
			}
			fmt.Fprintf(&body, "%s: $%s%d", a.name, a.variable, i)
		}
		if m.fixed != "" {
			body.WriteString(", " + m.fixed)
		}
		body.WriteString(") " + m.answer + "\n")
	}
	return "mutation " + m.name + "(" + strings.TrimSpace(declared.String()) + ") {\n" + body.String() + "}"
}

// changed is what the shop says about one object.
type changed struct {
	UserErrors  userErrors
	Publishable struct{ OnlineStoreURL string }
}

// changeMany changes objects, each with its variables, and returns what the shop says about each. An object of which it
// says nothing may or may not have been changed: it is missing in the result. At most mostFields of them.
func (s *session) changeMany(ctx context.Context, m many, objects []vars) (map[int]changed, error) {
	all := vars{}
	for i, object := range objects {
		for name, value := range object {
			all[name+strconv.Itoa(i)] = value
		}
	}
	var a map[string]*changed
	if _, err := s.call(reading(ctx), m.text(len(objects)), all, &a); err != nil {
		return nil, err
	}
	said := map[int]changed{}
	for i := range objects {
		one := a["a"+strconv.Itoa(i)]
		if one == nil && len(objects) == 1 { // a proxy of the shop may not know aliases
			one = a[m.field]
		}
		if one != nil {
			said[i] = *one
		}
	}
	if len(said) > 0 || len(objects) == 1 || a[m.field] == nil {
		return said, nil
	}
	for i := range objects { // such a proxy gets one at a time
		one, err := s.changeMany(ctx, m, objects[i:i+1])
		if err != nil {
			return said, err
		}
		if answered, ok := one[0]; ok {
			said[i] = answered
		}
	}
	return said, nil
}

// errUnsaid is the failure for an object of which the shop's answer says nothing.
var errUnsaid = connector.Failf(connector.Temporary, "the shop did not say what became of it")
