package apijson

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"
)

// Sizes in bytes: of the blocks into which a text is packed, one of which is unpacked at a time while Each shows it;
// and the size from which packing a text is worthwhile.
const (
	BlockSize = 256 << 10
	PackFrom  = 1 << 20
)

// Parts is the beginning of a large text, compressed in memory or in a file, so that many answers can wait for slow
// readers in little memory. It is not safe for concurrent use. A nil Parts is an empty text.
type Parts struct {
	blocks [][]byte // those in memory, which follow those in the file
	size   int      // of the text
	held   int      // of the blocks in memory
	sum    *xxhash.Digest

	file   File
	stored []int // lengths of the blocks in the file, in order
}

// File is where Unload puts blocks.
type File interface {
	io.Writer
	io.ReaderAt
}

// Unload moves the blocks in memory to the end of a file, the same one each time, to which nothing else writes. After
// an error they stay in memory, and the file must not be written to any more.
func (p *Parts) Unload(to File) error {
	if _, err := to.Write(slices.Concat(p.blocks...)); err != nil {
		return err
	}
	for _, block := range p.blocks {
		p.stored = append(p.stored, len(block))
	}
	clear(p.blocks)
	p.file, p.blocks, p.held = to, p.blocks[:0], 0
	return nil
}

// scratch is a buffer for one block, compressed or not.
var scratch = sync.Pool{New: func() any { room := make([]byte, s2.MaxEncodedLen(BlockSize)); return &room }}

func (p *Parts) add(text []byte) {
	if p.sum == nil {
		p.sum = xxhash.New()
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

// Sum is a fingerprint of the text followed by rest, not a cryptographic one: see Fingerprint.
func (p *Parts) Sum(rest []byte) uint64 {
	if p == nil || p.sum == nil {
		return Fingerprint(rest)
	}
	whole := *p.sum
	_, _ = whole.Write(rest)
	return whole.Sum64()
}

// Fingerprint is a number by which texts are compared: two that differ have the same one once in 2⁶⁴ pairs, unless
// somebody makes such a pair on purpose.
func Fingerprint(text []byte) uint64 { return xxhash.Sum64(text) }

// Each passes the text to show in order, in blocks of at most 256 KB, each valid until the next. It stops at the first
// error of show.
func (p *Parts) Each(show func(text []byte) error) error {
	if p == nil {
		return nil
	}
	room := scratch.Get().(*[]byte)
	defer scratch.Put(room)
	unpack := func(block []byte) error {
		text, err := s2.Decode(*room, block)
		if err != nil {
			return fmt.Errorf("apijson: a packed block cannot be read: %w", err)
		}
		return show(text)
	}
	if err := p.eachStored(unpack); err != nil {
		return err
	}
	for _, block := range p.blocks {
		if err := unpack(block); err != nil {
			return err
		}
	}
	return nil
}

// eachStored reads the blocks in the file, each valid until the next.
func (p *Parts) eachStored(show func(block []byte) error) error {
	if len(p.stored) == 0 {
		return nil
	}
	room := scratch.Get().(*[]byte)
	defer scratch.Put(room)
	at := int64(0)
	for _, length := range p.stored {
		block := (*room)[:length]
		if _, err := p.file.ReadAt(block, at); err != nil {
			return fmt.Errorf("apijson: read a packed block: %w", err)
		}
		if err := show(block); err != nil {
			return err
		}
		at += int64(length)
	}
	return nil
}
