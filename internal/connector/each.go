package connector

// UpsertEach puts products on a platform that takes them one by one. A product that fails gives a failed result for
// each of its SKUs, and the others continue. If nothing was done yet, a failure of the whole channel is returned
// instead: no answer, or refused credentials or address.
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

// failedProduct is the results of a product that could not be put on sale whole.
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

// UnpublishEach takes items off sale on a platform that does so one by one. key is what the platform takes off at a
// time, such as a product's id: items with one key share one call of takeOff, and an item without a key was never
// there. What the platform does not have is off sale. A failure that a later try may solve, and refused credentials,
// end the loop: they are returned with the results so far.
func UnpublishEach(items []Item, key func(Item) string, takeOff func(key string) error) ([]Result, error) {
	var results []Result
	done := map[string]error{"": nil}
	for _, item := range items {
		k := key(item)
		err, known := done[k]
		if !known {
			err = takeOff(k)
			done[k] = err
		}
		r := Result{SKU: item.SKU, IDs: item.IDs, State: Gone}
		switch f := FailureOf(err); {
		case f == nil, f.Kind == Missing:
		case !f.Lasting(), f.Kind == Unauthorized:
			return results, err
		default:
			r.State, r.Error = Failed, item.SKU+": "+f.Error()
		}
		results = append(results, r)
	}
	return results, nil
}
