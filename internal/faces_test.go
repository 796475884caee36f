package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// queues are what a transaction does without reading: the methods of db.Writer, and the tenant.
func queues(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{"Tenant": true}
	parsed, err := parser.ParseFile(token.NewFileSet(), "db/faces.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		face, is := n.(*ast.TypeSpec)
		if !is || face.Name.Name == "Reader" {
			return true
		}
		for _, method := range face.Type.(*ast.InterfaceType).Methods.List {
			for _, name := range method.Names {
				all[name.Name] = true
			}
		}
		return true
	})
	if !all["Queue"] || !all["Change"] || all["Query"] {
		t.Fatalf("the writers' methods: %v", all)
	}
	return all
}

// A function of the nouns and operations that only queues writes is given a db.Writer, which cannot read; and nothing turns the faces of
// a transaction back into all of it.
func TestWhatOnlyQueuesIsGivenAWriter(t *testing.T) {
	writes := queues(t)
	for _, file := range sources(t) {
		if pkg(file) == "internal/db" || pkg(file) == "internal/db/dbtest" {
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
				if isTx(p.Type) && len(p.Names) == 1 && onlyQueues(f.Body, p.Names[0].Name, writes) {
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
func onlyQueues(body *ast.BlockStmt, tx string, queues map[string]bool) bool {
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
