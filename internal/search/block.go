package search

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// ID is a record's UUID.
type ID [16]byte

// String returns the UUID as it is written.
func (id ID) String() string {
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// ParseID parses a UUID of the store; "" is the zero ID.
func ParseID[T ~string | ~[]byte](text T) (id ID) {
	if len(text) != 36 {
		return id
	}
	var digits [32]byte
	copy(digits[:8], text[:8])
	copy(digits[8:12], text[9:13])
	copy(digits[12:16], text[14:18])
	copy(digits[16:20], text[19:23])
	copy(digits[20:], text[24:])
	hex.Decode(id[:], digits[:]) // ids from the store are valid
	return id
}

// entry is one record of a block.
type entry struct {
	id   ID
	sort int64
	text string
}

// keySize is the number of bytes of an entry's keys: its id and its sort value.
const keySize = 24

// encode packs entries, sorted by id.
func encode(list []entry) (has filter, body string, keys []byte) {
	has = make(filter, filterBits/8)
	var text strings.Builder
	keys = make([]byte, 0, keySize*len(list))
	for i := range list {
		e := &list[i]
		has.add(e.text)
		text.WriteString(e.text)
		text.WriteByte('\n')
		keys = append(keys, e.id[:]...)
		keys = binary.BigEndian.AppendUint64(keys, uint64(e.sort))
	}
	return has, text.String(), keys
}

// decode unpacks a block.
func decode(body string, keys []byte) []entry {
	list := make([]entry, 0, len(keys)/keySize)
	for line := range strings.Lines(body) {
		id, sort := keyAt(keys, len(list))
		list = append(list, entry{id, sort, strings.TrimSuffix(line, "\n")})
	}
	return list
}

func keyAt(keys []byte, i int) (id ID, sort int64) {
	key := keys[i*keySize : (i+1)*keySize]
	return ID(key[:16]), int64(binary.BigEndian.Uint64(key[16:]))
}

// matches calls each for every entry whose text contains a term without line breaks.
func matches(body, keys, term []byte, each func(id ID, sort int64) error) error {
	for line := 0; len(body) > 0; line++ {
		at := bytes.Index(body, term)
		if at < 0 {
			return nil
		}
		line += bytes.Count(body[:at], lineBreak)
		id, sort := keyAt(keys, line)
		if err := each(id, sort); err != nil {
			return err
		}
		body = body[at:]
		body = body[bytes.IndexByte(body, '\n')+1:]
	}
	return nil
}

var lineBreak = []byte{'\n'}

// filter says for each trigram (three consecutive bytes) that a block does not contain it, or may contain it: one bit
// for its hash.
type filter []byte

const filterBits = 1 << 15

func (f filter) add(text string) {
	for i := 0; i+3 <= len(text); i++ {
		bit := trigram(text[i], text[i+1], text[i+2])
		f[bit/8] |= 1 << (bit % 8)
	}
}

// all reports whether all of some trigrams may be in the block.
func (f filter) all(wanted []uint32) bool {
	for _, bit := range wanted {
		if f[bit/8]&(1<<(bit%8)) == 0 {
			return false
		}
	}
	return true
}

// trigramsOf returns the trigrams of a term, none if it is shorter.
func trigramsOf(term string) (list []uint32) {
	for i := 0; i+3 <= len(term); i++ {
		list = append(list, trigram(term[i], term[i+1], term[i+2]))
	}
	return list
}

// trigram spreads three bytes over the bits of a filter.
func trigram(a, b, c byte) uint32 {
	return (uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 2654435761 >> (32 - 15)
}
