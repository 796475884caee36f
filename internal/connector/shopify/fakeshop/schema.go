package fakeshop

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// schemaText is the part of Shopify's schema that the shop knows.
//
//go:embed schema.graphql
var schemaText string

var schema = sync.OnceValue(func() *ast.Schema {
	return gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: schemaText})
})

// codes are what Shopify calls violations of the rules of GraphQL, by the library's names of the rules.
var codes = map[string]string{"FieldsOnCorrectType": "undefinedField", "KnownArgumentNames": "argumentNotAccepted",
	"ProvidedRequiredArguments": "missingRequiredArguments", "VariablesInAllowedPosition": "variableMismatch",
	"KnownTypeNames": "undefinedType", "KnownDirectives": "undefinedDirective", "NoUndefinedVariables": "variableNotDefined",
	"NoUnusedVariables": "variableNotUsed", "NoUnusedFragments": "useAndDefineFragment", "KnownFragmentNames": "useAndDefineFragment",
	"ScalarLeafs": "selectionMismatch", "ValuesOfCorrectType": "argumentLiteralsIncompatible"}

// refuse returns the errors with which Shopify refuses a request that its schema does not allow; nothing is done then.
func refuse(query string, variables json.RawMessage) (errors []object) {
	document, wrong := gqlparser.LoadQueryWithRules(schema(), query, rules.NewDefaultRules())
	for _, e := range wrong {
		errors = append(errors, refusal(e, codes[e.Rule]))
	}
	if len(errors) > 0 {
		return errors
	}
	given := map[string]any{}
	if err := json.Unmarshal(variables, &given); len(variables) > 0 && err != nil {
		return []object{{"message": "variables must be an object"}}
	}
	for _, operation := range document.Operations {
		if _, err := validator.VariableValues(schema(), operation, given); err != nil {
			e, is := err.(*gqlerror.Error)
			if !is {
				e = gqlerror.Wrap(err)
			}
			errors = append(errors, refusal(e, "INVALID_VARIABLE"))
		}
	}
	return errors
}

func refusal(e *gqlerror.Error, code string) object {
	out := object{"message": e.Message}
	if len(e.Locations) > 0 {
		out["locations"] = e.Locations
	}
	if e.Path != nil {
		out["path"] = e.Path
	}
	if code != "" {
		out["extensions"] = object{"code": code}
	}
	return out
}
