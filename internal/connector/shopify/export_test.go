package shopify

// Deepest has lists of orders asked for anew after so many, until the function that it returns is called.
func Deepest(n int) (restore func()) {
	before := deepest
	deepest = n
	return func() { deepest = before }
}
