package importer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// source is the file to import: what was detected by reading its bytes once, and how to read its text.
type source struct {
	path    string
	name    string // for messages
	most    int64  // bytes of text it may have; 0 for no bound
	spooled bool   // a copy of the standard input, removed at the end
	gzipped bool
	sha256  string
	size    int64 // bytes of the file as it lies on disk
	charset charset
	sample  []byte // the beginning of the text, in UTF-8
	whole   bool   // sample is all of it

	read atomic.Int64 // bytes of the file read by the last open, for the progress bar
}

// openSource reads the file once, to its end: hash, compression, encoding, so that nothing is sent before the whole
// file was readable. "-" is the standard input, copied to a temporary file.
func openSource(o Options) (*source, error) {
	s := &source{path: o.File, name: wordOr(o.Name, o.File), most: o.MostText}
	if o.File == "-" {
		if err := s.spool(o.Stdin); err != nil {
			return nil, err
		}
	}
	if err := s.survey(o.Encoding); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *source) spool(stdin io.Reader) error {
	f, err := os.CreateTemp("", "entrepot-import-*")
	if err != nil {
		return err
	}
	s.path, s.spooled = f.Name(), true
	if _, err = io.Copy(f, stdin); err != nil {
		err = fmt.Errorf("reading the standard input: %w", err)
	}
	return errors.Join(err, f.Close())
}

func (s *source) close() {
	if s.spooled {
		os.Remove(s.path)
	}
}

func (s *source) survey(encodingName string) error {
	f, err := os.Open(s.path)
	if err != nil {
		return wrongCall("the file cannot be read: %v", err)
	}
	defer f.Close()
	hash := sha256.New()
	raw := bufio.NewReaderSize(io.TeeReader(f, hash), 256<<10)
	magic, _ := raw.Peek(4)
	if bytes.HasPrefix(magic, []byte("PK\x03\x04")) {
		return wrongCall("%s is a zip archive or an Excel workbook; unpack it, or export the sheet as CSV", s.name)
	}
	s.gzipped = bytes.HasPrefix(magic, []byte{0x1f, 0x8b})
	var text io.Reader = raw
	if s.gzipped {
		if text, err = gzip.NewReader(raw); err != nil {
			return wrongCall("%s is no readable gzip file: %v", s.name, err)
		}
	}
	if s.most > 0 {
		text = io.LimitReader(text, s.most+1)
	}
	scan := &textScan{}
	if _, err := io.CopyBuffer(scan, struct{ io.Reader }{text}, make([]byte, 256<<10)); err != nil {
		return wrongCall("%s cannot be read to its end: %v", s.name, err)
	}
	if s.most > 0 && scan.size > s.most {
		return wrongCall("%s has more than %d MB of text", s.name, s.most>>20)
	}
	if _, err := io.Copy(io.Discard, raw); err != nil { // what follows the gzip stream counts for the hash
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if scan.size == 0 {
		return wrongCall("%s is empty", s.name)
	}
	s.size = info.Size()
	s.sha256 = hex.EncodeToString(hash.Sum(nil))
	if s.charset, err = scan.charsetNamed(encodingName); err != nil {
		return err
	}
	s.whole = scan.size <= sampleSize
	decoded, err := s.charset.reader(bytes.NewReader(scan.head))
	if err != nil {
		return err
	}
	s.sample, err = io.ReadAll(decoded) // a character cut at the sample's end does no harm
	return err
}

// open reads the text from its beginning, in UTF-8.
func (s *source) open() (text io.Reader, closeFile func() error, err error) {
	f, err := os.Open(s.path)
	if err != nil {
		return nil, nil, err
	}
	s.read.Store(0)
	var raw io.Reader = bufio.NewReaderSize(&countingReader{f, &s.read}, 256<<10)
	if s.gzipped {
		if raw, err = gzip.NewReader(raw); err != nil {
			return nil, nil, errors.Join(err, f.Close())
		}
	}
	if text, err = s.charset.reader(raw); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return text, f.Close, nil
}

type countingReader struct {
	io.Reader
	n *atomic.Int64
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n.Add(int64(n))
	return n, err
}
