package drafts

import (
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
	"entrepot/internal/records"
)

// ReadImport reads the body: the valid items and the rejected ones.
func ReadImport(o *apijson.Object) (in commerce.Import) {
	o.Record("ImportProducts")
	o.List("products", apijson.List{Required: true, Min: 1, Max: limits.MaxImport, Apart: true}, func(i int, item *apijson.Object) {
		d := ReadProduct(item, ToCreate)
		d.Index = i
		if errs := item.Errors(); len(errs) > 0 {
			in.Errors = append(in.Errors, itemError(i, item.Said("sku"), errs))
			return
		}
		in.Drafts = append(in.Drafts, d)
	})
	o.Object("options", func(options *apijson.Object) {
		options.Record("ImportOptions")
		in.Channel = apijson.UUID[id.Channel](options, "channelId", false).Value
		in.ReplaceVariants = options.Bool("replaceVariants").Value
		in.DryRun = options.Bool("dryRun").Value
	})
	return in
}

// ReadCategoryImport reads the body: the valid items and the rejected ones.
func ReadCategoryImport(o *apijson.Object) (in commerce.CategoryImport) {
	o.Record("ImportCategories")
	o.List("categories", apijson.List{Required: true, Min: 1, Max: limits.MaxImport, Apart: true}, func(i int, item *apijson.Object) {
		d := ReadCategory(item, ToImport)
		d.Index = i
		if errs := item.Errors(); len(errs) > 0 {
			in.Errors = append(in.Errors, itemError(i, item.Said("externalId"), errs))
			return
		}
		in.Drafts = append(in.Drafts, d)
	})
	return in
}

// itemError joins the errors of a bulk item into one entry (interface §2.7.4).
func itemError(index int, key string, errs []apperr.Detail) records.ItemError {
	f := records.ItemError{Index: index, Key: key, Field: errs[0].Path, Code: "invalid"}
	if errs[0].Message == "is required" || errs[0].Message == "must not be empty" {
		f.Code = "required"
	}
	texts := make([]string, len(errs))
	for i, d := range errs {
		texts[i] = strings.TrimSpace(d.Path + " " + d.Message)
	}
	f.Error = strings.Join(texts, "; ")
	return f
}
