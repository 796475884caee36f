package jobs

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Product is the outcome for one product of a job of type ProductBulk.
type Product struct {
	Job           id.Job
	Position      int64 // from 0, in the order in which the products were changed
	ID            id.Product
	SKU           string // "" if the product is gone
	Outcome       Outcome
	Message       string // why it was refused
	Before, After string // JSON objects: what the change is about, before and after it; "" if it was refused
}

var productTable = db.NewTable("job_products",
	db.Col("job_id", func(p *Product) any { return &p.Job }),
	db.Col("position", func(p *Product) any { return &p.Position }),
	db.Col("product_id", func(p *Product) any { return &p.ID }),
	db.Col("sku", func(p *Product) any { return &p.SKU }),
	db.Col("outcome", func(p *Product) any { return &p.Outcome }),
	db.Col("message", func(p *Product) any { return &p.Message }),
	db.Col("before", func(p *Product) any { return &p.Before }),
	db.Col("after", func(p *Product) any { return &p.After }),
)

// InsertProducts queues the outcomes of some products of a job, the first of them at a position.
func InsertProducts(tx db.Writer, job id.Job, from int64, list []Product) {
	for i := range list {
		list[i].Job, list[i].Position = job, from+int64(i)
	}
	productTable.Insert(tx, list...)
}

// ProductReport reads a page of the outcomes of a job, or only of those with one outcome, and how many there are.
func ProductReport(tx *db.Tx, job id.Job, only Outcome, limit, offset int) ([]Product, int64, error) {
	w := db.AndGiven(db.NewWhere(tx, "").And("job_id = ?::UUID", job), "outcome = ?", string(only))
	return productTable.Page(tx, w, "position", limit, offset)
}

// NextProducts reads the outcomes of a job behind a position, up to limit, all or only those with one outcome.
func NextProducts(tx *db.Tx, job id.Job, only Outcome, after int64, limit int) ([]Product, error) {
	w := db.AndGiven(db.NewWhere(tx, "").And("job_id = ?::UUID", job), "outcome = ?", string(only)).And("position > ?", after)
	return productTable.Rows(tx, w, "position", limit, 0)
}

// Refuse sets the outcome of a product that stays as it is, and why.
func (p *Product) Refuse(why string) {
	p.Outcome, p.Message, p.Before, p.After = Refused, why, "", ""
}
