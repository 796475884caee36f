package fileimport

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/workbook"
	nouns "entrepot/internal/catalog"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/imports"
)

// before collects the values that a list would replace, for the keeper, which stores them with the progress of the
// dry run: a wrong list is set right by a list of these.
type before struct {
	mu    sync.Mutex // values come from the sender, and the keeper takes them while the outcome before is settled
	lines []imports.Line
	count int
}

// beforeCode marks the lines that hold a value before; they are no messages.
const beforeCode = "before"

// add notes the cells of one row of the list of values before.
func (b *before) add(cells ...string) error {
	text, err := json.Marshal(cells[1:])
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	b.lines = append(b.lines, imports.Line{Item: cells[0], Code: beforeCode, Message: string(text)})
	return err
}

// take gives what was added since the last call.
func (b *before) take() []imports.Line {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.lines
	b.lines = nil
	return list
}

// price notes the prices of a SKU.
func (b *before) price(p nouns.Prices) error {
	return b.add(p.SKU, decimal(p.Price), decimal(p.CompareAt))
}

// level notes what is on hand of a SKU in a warehouse; a level that does not exist has nothing.
func (b *before) level(l commerce.LevelChange) error {
	was := int64(0)
	if l.From != nil {
		was = *l.From
	}
	return b.add(l.SKU, strconv.FormatInt(was, 10), l.Warehouse)
}

// decimal is an amount that no reader takes for another: three decimals look like thousands, so there are two, or four.
func decimal(a *money.Amount) string {
	if a == nil {
		return ""
	}
	text := a.String()
	if _, digits, _ := strings.Cut(text, "."); len(digits)%2 == 1 {
		text += "0"
	}
	return text
}

// Before writes the values that a list of prices or stock has replaced, as a list that can be imported. Its dry run
// has stored them.
func Before(ctx context.Context, store *db.DB, tenant id.Tenant, i imports.Import, f workbook.Format, to io.Writer) error {
	header := []string{"sku", "price", "compareAtPrice"}
	if i.Kind == imports.Stock {
		header = []string{"sku", "quantity", "warehouseCode"}
	}
	out, err := workbook.NewTable(f, to, "Values before", time.UTC, header...)
	if err != nil {
		return err
	}
	err = eachLine(ctx, store, tenant, i.ID, true, func(l imports.Line) error {
		if l.Code != beforeCode {
			return nil
		}
		var cells []string
		if err := json.Unmarshal([]byte(l.Message), &cells); err != nil {
			return err
		}
		if len(cells) != 2 {
			return fmt.Errorf("the values before of %s are %s", l.Item, l.Message)
		}
		if i.Kind == imports.Stock {
			return out.Row(workbook.Text(l.Item), workbook.Count(cells[0]), workbook.Text(cells[1]))
		}
		return out.Row(workbook.Text(l.Item), workbook.Amount(cells[0]), workbook.Amount(cells[1]))
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// eachLine reads all lines of an import, or of its dry run, a thousand at a time.
func eachLine(ctx context.Context, store *db.DB, tenant id.Tenant, which id.Import, dry bool, do func(imports.Line) error) error {
	for after := int64(-1); ; {
		var list []imports.Line
		err := store.Read(ctx, tenant, func(tx *db.Tx) (err error) {
			list, err = imports.Lines(tx, which, dry, false, after, 1000)
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		for _, l := range list {
			if err := do(l); err != nil {
				return err
			}
			after = l.Position
		}
	}
}
