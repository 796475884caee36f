package api

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/records"
)

func sampleProductAnswer(w *apijson.Writer) {
	data(func(w *apijson.Writer) { records.SampleProducts().Write(w, "data", records.SampleProduct()) })(w)
}

func sampleProductList(w *apijson.Writer) {
	sampleCursorList(w, func(w *apijson.Writer) { records.SampleProducts().Write(w, "", records.SampleProduct()) })
}
