package engine

import "sync"

// Keyed is a read of the rows of some keys. Reads of one Keyed, of several transactions, can be answered by one statement: an engine that
// sends reads together does so (decision 3).
type Keyed struct {
	Head   int // arguments in front of the keys, the tenant first; only reads with an equal head share a statement
	Column int // of the result: the key to which a row belongs, as it was given

	Build func(keys int) string // the statement for that many keys

	// Tables are what it reads, if rows of these seldom change: SQLite remembers the rows of a key until a commit changes one of them
	// (decision 2). The rows of one key keep their order, those of several keys may come in any.
	Tables []string

	// Mixed is the statement for keys that have heads of their own, such as those of several tenants. It takes an array for each argument
	// of the head and one of the keys, all equally long, and its last column says, as text, which of these a row belongs to, from 1.
	Mixed string

	texts sync.Map // what Build made, by keys
}

// Text is the statement for a number of keys.
func (k *Keyed) Text(keys int) string { return textOf(&k.texts, keys, k.Build) }

// textOf keeps what build made for a number.
func textOf(texts *sync.Map, n int, build func(int) string) string {
	if text, ok := texts.Load(n); ok {
		return text.(string)
	}
	text := build(n)
	texts.Store(n, text)
	return text
}

// Padded is a list with its last element repeated up to the next of the fixed lengths, or the list where it is longer than all of them.
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
