package api

import (
	"entrepot/internal/apijson"
	"entrepot/internal/records"
)

func sampleProductAnswer(w *apijson.Writer) {
	data(func(w *apijson.Writer) { records.SampleProducts().Write(w, "data", records.SampleProduct()) })(w)
}

func sampleProductList(w *apijson.Writer) {
	w.Object("")
	w.List("data")
	records.SampleProducts().Write(w, "", records.SampleProduct())
	w.EndList()
	writeMeta(w, page{Number: 1, Limit: 20}, 1, nil)
	w.End()
}
