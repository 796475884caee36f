package apijson

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
)

// Sizes in bytes: of the blocks that a text is packed in, one of which stands unpacked while Each shows it; and from where on packing a
// text is worth its time.
const (
	BlockSize = 256 << 10
	PackFrom  = 1 << 20
)

// Parts is the beginning of a large text, kept compressed, so that many answers can wait for slow readers in little memory. It is not
// safe for concurrent use. The methods of a nil one show an empty text.
type Parts struct {
	blocks [][]byte
	size   int // of the text
	held   int // of the blocks
	sum    hash.Hash
}

// scratch is room for one block, compressed or not.
var scratch = sync.Pool{New: func() any { room := make([]byte, s2.MaxEncodedLen(BlockSize)); return &room }}

func (p *Parts) add(text []byte) {
	if p.sum == nil {
		p.sum = sha256.New()
	}
	p.sum.Write(text)
	room := scratch.Get().(*[]byte)
	defer scratch.Put(room)
	for block := range slices.Chunk(text, BlockSize) {
		packed := slices.Clip(append([]byte(nil), s2.Encode(*room, block)...))
		p.blocks = append(p.blocks, packed)
		p.size += len(block)
		p.held += cap(packed)
	}
}

// Size is the text's length in bytes.
func (p *Parts) Size() int {
	if p == nil {
		return 0
	}
	return p.size
}

// Held is how many bytes of memory it takes.
func (p *Parts) Held() int {
	if p == nil {
		return 0
	}
	return p.held
}

// Sum is the SHA-256 of the text with rest behind it.
func (p *Parts) Sum(rest []byte) []byte {
	if p == nil {
		sum := sha256.Sum256(rest)
		return sum[:]
	}
	whole := sha256.New()
	if copied, err := p.sum.(hash.Cloner).Clone(); err == nil {
		whole = copied
	} else {
		_ = p.Each(func(text []byte) error { whole.Write(text); return nil })
	}
	whole.Write(rest)
	return whole.Sum(nil)
}

// Each shows the text in order, in blocks of at most 256 KB, each valid until the next. It ends with the first error of show.
func (p *Parts) Each(show func(text []byte) error) error {
	if p == nil {
		return nil
	}
	room := scratch.Get().(*[]byte)
	defer scratch.Put(room)
	for _, block := range p.blocks {
		text, err := s2.Decode(*room, block)
		if err != nil {
			return fmt.Errorf("apijson: a packed block cannot be read: %w", err)
		}
		if err := show(text); err != nil {
			return err
		}
	}
	return nil
}
