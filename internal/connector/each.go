package connector

// UpsertEach puts products on a platform that takes them one by one. A product that fails is a result of each of its SKUs, and the others
// go on. Where nothing was done yet, a failure that concerns the channel as a whole is given back instead: a platform that does not answer,
// credentials or an address that are refused.
func UpsertEach(products []Product, upsert func(*Product) ([]Result, error)) ([]Result, error) {
	var results []Result
	for i := range products {
		one, err := upsert(&products[i])
		if err != nil {
			f := FailureOf(err)
			if len(results) == 0 && (!f.Lasting() || f.Kind == Unauthorized || f.Kind == Refused) {
				return nil, err
			}
			one = failedProduct(&products[i], f)
		}
		results = append(results, one...)
	}
	return results, nil
}

// failedProduct is the outcome of a product that could not be put on sale whole.
func failedProduct(p *Product, f *Failure) []Result {
	failed := func(sku string) Result {
		return Result{SKU: sku, State: Failed, Error: sku + ": " + f.Error(), Again: !f.Lasting()}
	}
	results := []Result{failed(p.SKU)}
	for _, v := range p.Variants {
		results = append(results, failed(v.SKU))
	}
	return results
}
