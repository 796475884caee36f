package connector

import "slices"

// mostFailures is how many calls in a row may fail for passing reasons before a loop over products stops. One such
// failure may be the product's fault, as when a shop breaks at one picture; the others continue.
const mostFailures = 2

// Each calls do for each of n products, and fail for those that failed; again says that a later try may succeed. The
// loop stops when a failure concerns the whole channel: the platform asks for a pause, refuses the credentials or the
// address, or gave no answer twice in a row. Then the remaining products fail for now; if nothing was done yet, Each
// returns the failure.
func Each(n int, do func(i int) error, fail func(i int, f *Failure, again bool)) error {
	done, inRow := 0, 0
	var first *Failure // of the products at the start, while none was done
	for i := range n {
		err := do(i)
		f := FailureOf(err)
		switch {
		case f == nil:
			done, inRow = done+1, 0
			continue
		case f.Lasting() && f.Kind != Unauthorized && f.Kind != Refused:
			done, inRow = done+1, 0
			fail(i, f, false)
			continue
		}
		if inRow++; first == nil {
			first = f
		}
		if f.Kind == Temporary && inRow < mostFailures && i < n-1 {
			fail(i, f, true)
			continue
		}
		if done == 0 {
			return first
		}
		for j := i; j < n; j++ {
			fail(j, f, true)
		}
		return nil
	}
	return nil
}

// UpsertEach puts products on a platform that takes them one by one. A product that fails gives a failed result for
// each of its SKUs, and the others continue. A failure of the whole channel is returned if nothing was done (see Each).
func UpsertEach(products []Product, upsert func(*Product) ([]Result, error)) ([]Result, error) {
	by := make([][]Result, len(products))
	err := Each(len(products), func(i int) (err error) {
		by[i], err = upsert(&products[i])
		return err
	}, func(i int, f *Failure, again bool) { by[i] = FailedProduct(&products[i], f, again) })
	if err != nil {
		return nil, err
	}
	return slices.Concat(by...), nil
}

// FailedProduct is the results of a product that could not be put on sale whole.
func FailedProduct(p *Product, f *Failure, again bool) []Result {
	return p.Results(func(sku string) Result { return Result{SKU: sku, State: Failed, Error: f.Error(), Again: again} })
}

// UnpublishEach takes items off sale on a platform that does so one by one. key is what the platform takes off at a
// time, such as a product's id: items with one key share one call of takeOff, and an item without a key was never
// there. An item that the platform does not have counts as off sale. A failure that a later try may solve, and
// refused credentials, end the loop; they are returned with the results so far.
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
		r := item.Result(Gone)
		switch f := FailureOf(err); {
		case f == nil, f.Kind == Missing:
		case !f.Lasting(), f.Kind == Unauthorized:
			return results, err
		default:
			r.Fail(f)
		}
		results = append(results, r)
	}
	return results, nil
}
