package engine

import "iter"

// pieceSizes are the list lengths that statements are made for: few texts serve every list.
var pieceSizes = []int{256, 64, 16, 8, 4, 3, 2, 1}

// Pieces cuts a list into pieces of a few fixed sizes.
func Pieces[T any](list []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for _, size := range pieceSizes {
			for len(list) >= size {
				if !yield(list[:size]) {
					return
				}
				list = list[size:]
			}
		}
	}
}

// Padded repeats the last element of a list up to the next of the fixed lengths. A list longer than all of them stays
// as it is.
func Padded[T any](list []T) []T {
	size := len(list)
	for _, fits := range pieceSizes {
		if fits >= len(list) {
			size = fits
		}
	}
	padded := append(make([]T, 0, size), list...)
	for len(padded) < size && len(list) > 0 {
		padded = append(padded, list[len(list)-1])
	}
	return padded
}
