package bench

import (
	"fmt"
	"strings"
	"time"
)

// changeGoal is what a change of one record may take, in milliseconds, however many others the account has.
const changeGoal = 20

// grownChange is one change of records that the run itself creates. {} in path and body stands for what tells apart the records of
// different runs and rounds, {name} for the id that an earlier change of the round has kept under that name.
type grownChange struct {
	list, name, method, path, body string
	keep                           string // the name under which the id of the answer is kept
}

// grownChanges are one round: what it creates it deletes, but for two customers, of which one is merged into the other.
var grownChanges = []grownChange{
	{"warehouses", "created", "POST", "warehouses", `{"code":"GROWN-{}","name":"Grown {}"}`, "warehouse"},
	{"warehouses", "deleted", "DELETE", "warehouses/{warehouse}", "", ""},
	{"categories", "created", "POST", "categories", `{"externalId":"grown-{}","name":"Grown {}"}`, "category"},
	{"categories", "another externalId", "PATCH", "categories/{category}", `{"externalId":"grown-{}-b"}`, ""},
	{"products", "created", "POST", "products", `{"sku":"GROWN-{}","name":"Grown {}","price":1,"categoryIds":["{category}"]}`, "product"},
	{"products", "another name and price", "PATCH", "products/{product}", `{"name":"Grown up {}","price":2}`, ""},
	{"products", "deleted", "DELETE", "products/{product}", "", ""},
	{"categories", "deleted", "DELETE", "categories/{category}", "", ""},
	{"channels", "created", "POST", "channels", `{"platform":"CUSTOM","name":"Grown {}"}`, "channel"},
	{"channels", "deleted", "DELETE", "channels/{channel}", "", ""},
	{"customers", "created", "POST", "customers", `{"email":"grown-{}@bench.example"}`, "one"},
	{"customers", "created", "POST", "customers", `{"email":"grown-{}-b@bench.example","tags":["grown"]}`, "two"},
	{"customers", "another e-mail address", "PATCH", "customers/{one}", `{"email":"grown-{}-c@bench.example"}`, ""},
	{"customers", "merged", "POST", "customers/merge", `{"primaryId":"{one}","secondaryIds":["{two}"]}`, ""},
}

// created is an answer with the id of a new record; a channel's stands beside its key.
type created struct {
	Data struct {
		ID      string
		Channel struct{ ID string }
	}
}

// changes measures rounds of changes. The first one is not counted.
func (o GrownOptions) changes(k *caller, began time.Time) ([]GrownRequest, error) {
	done := make([]GrownRequest, len(grownChanges))
	waits := make([]Histogram, len(grownChanges))
	spent := make([]time.Duration, len(grownChanges))
	for round := -1; round < o.Times; round++ {
		words := []string{"{}", fmt.Sprintf("%d-%d", began.UnixMilli(), round+1)}
		for i, c := range grownChanges {
			fill := strings.NewReplacer(words...)
			path, body := "/api/v1/"+fill.Replace(c.path), fill.Replace(c.body)
			if round < 0 {
				done[i] = GrownRequest{List: c.list, Request: c.name, Address: c.method + " " + path, Goal: changeGoal}
			}
			var made created
			var in any
			if body != "" {
				in = []byte(body)
			}
			before, _ := processesCPU(o.ServerPIDs)
			start := time.Now()
			if err := k.call(c.method, path, in, &made); err != nil {
				return nil, err
			}
			if took := time.Since(start); round >= 0 {
				waits[i].Add(took)
			}
			if after, known := processesCPU(o.ServerPIDs); known && round >= 0 {
				spent[i] += after - before
			}
			if c.keep != "" {
				words = append(words, "{"+c.keep+"}", made.Data.ID+made.Data.Channel.ID)
			}
		}
	}
	for i := range done {
		d := &done[i]
		d.Status = 200
		d.P50, d.P95, d.Max = milliseconds(waits[i].Percentile(0.5)), milliseconds(waits[i].Percentile(0.95)), milliseconds(waits[i].Max())
		d.ServerCPU = milliseconds(spent[i] / time.Duration(o.Times))
	}
	return done, nil
}
