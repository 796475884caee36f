package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// queues are what a transaction does without reading: the methods of db.Writer, and the name of the tenant.
var queues = map[string]bool{"Tenant": true, "TenantID": true, "Now": true, "Micros": true, "Put": true, "PutStamped": true,
	"Require": true,
	"Share":   true, "Stamps": true, "Wake": true, "Queue": true, "Change": true, "LockRows": true, "RequestScrub": true}

// A function of the nouns and operations that only queues writes is given a db.Writer, which cannot read; and nothing turns the faces of
// a transaction back into all of it.
func TestWhatOnlyQueuesIsGivenAWriter(t *testing.T) {
	for _, file := range sources(t) {
		if pkg(file) == "internal/db" || pkg(file) == "internal/dbtest" {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if assertion, is := n.(*ast.TypeAssertExpr); is && assertion.Type != nil && isTx(assertion.Type) {
				t.Errorf("%s: a face of a transaction is turned back into *db.Tx", file)
			}
			return true
		})
		if floor, _ := floorOf(pkg(file)); floor != 10 && floor != 30 {
			continue
		}
		for _, d := range parsed.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || f.Body == nil {
				continue
			}
			for _, p := range f.Type.Params.List {
				if isTx(p.Type) && len(p.Names) == 1 && onlyQueues(f.Body, p.Names[0].Name) {
					t.Errorf("%s: %s only queues writes: give it a db.Writer", file, f.Name.Name)
				}
			}
		}
	}
}

// isTx reports whether an expression is the type *db.Tx.
func isTx(e ast.Expr) bool {
	star, is := e.(*ast.StarExpr)
	if !is {
		return false
	}
	sel, is := star.X.(*ast.SelectorExpr)
	return is && sel.Sel.Name == "Tx" && identName(sel.X) == "db"
}

func identName(e ast.Expr) string {
	if id, is := e.(*ast.Ident); is {
		return id.Name
	}
	return ""
}

// onlyQueues reports whether a transaction is used in a function, and for queueing only. What is handed on counts as used for more.
func onlyQueues(body *ast.BlockStmt, tx string) bool {
	named, queued := 0, 0
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if identName(n.X) == tx && queues[n.Sel.Name] {
				queued++
			}
		case *ast.Ident:
			if n.Name == tx {
				named++
			}
		}
		return true
	})
	return queued > 0 && named == queued && !strings.HasPrefix(tx, "_")
}
