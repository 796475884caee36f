package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"entrepot/internal/base/disk"
)

// source is the file to import: what was detected by reading its bytes once, and how to read its text.
type source struct {
	content Content
	copy    *disk.Temporary // of the standard input; nil for a file
	rows    *disk.Temporary // of a sheet of a workbook, whose content it is; nil for other files
	sheet   string          // its name; "" for other files
	sheets  []string        // the filled ones
	name    string          // for messages
	most    int64           // bytes of text it may have; 0 for no bound
	gzipped bool
	sha256  string
	size    int64 // bytes of the file, compressed or not
	charset charset
	unclear error  // *CallError: what the letters are written in, or the sheet, has to be said
	sample  []byte // the beginning of the text, in UTF-8
	whole   bool   // sample is all of it

	read atomic.Int64 // bytes of the file read by the last open, for the progress bar
}

// openSource reads the file once, to its end: hash, compression, encoding, so that nothing is sent before the whole
// file was readable. "-" is the standard input, copied to a temporary file.
func openSource(o Options) (*source, error) {
	s := &source{content: o.Content, name: wordOr(o.Name, o.File), most: o.MostText}
	switch {
	case s.content != nil:
	case o.File == "-":
		if err := s.spool(o.Stdin); err != nil {
			return nil, err
		}
	default:
		s.content = func() (io.ReadCloser, error) { return os.Open(o.File) }
	}
	err := s.readWorkbook(o)
	if err == nil {
		if s.sheet != "" {
			o.Encoding = "utf-8"
		}
		err = s.survey(o.Encoding)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *source) spool(stdin io.Reader) error {
	f, err := disk.NewTemporary("")
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, stdin); err != nil {
		return errors.Join(fmt.Errorf("reading the standard input: %w", err), f.Close())
	}
	s.copy, s.content = f, f.Open
	return nil
}

func (s *source) close() {
	_ = closeAll(s.copy, s.rows)
}

// otherFiles are files that hold no text, by their first bytes, and what to do about them.
var otherFiles = map[string]string{
	"%PDF": "a PDF; export the table as CSV",
}

func (s *source) survey(encodingName string) error {
	f, err := s.content()
	if err != nil {
		return wrongCall("the file cannot be read: %v", err)
	}
	defer f.Close()
	hash := sha256.New()
	var size atomic.Int64
	raw := bufio.NewReaderSize(io.TeeReader(&countingReader{f, &size}, hash), 256<<10)
	magic, _ := raw.Peek(4)
	if advice := otherFiles[string(magic)]; advice != "" {
		return wrongCall("%s is %s", s.name, advice)
	}
	s.gzipped = bytes.HasPrefix(magic, []byte{0x1f, 0x8b})
	var text io.Reader = raw
	if s.gzipped {
		if text, err = gzip.NewReader(raw); err != nil {
			return wrongCall("%s is no readable gzip file: %v", s.name, err)
		}
		unpacked := bufio.NewReader(text)
		first, _ := unpacked.Peek(4)
		if err := inArchive(s.name, first); err != nil {
			return err
		}
		text = unpacked
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
	if scan.size == 0 {
		return wrongCall("%s is empty", s.name)
	}
	s.size = size.Load()
	s.sha256 = cmp.Or(s.sha256, hex.EncodeToString(hash.Sum(nil))) // of a workbook it is known
	var others []charset
	if s.charset, others, err = scan.charsetNamed(encodingName); err != nil {
		return err
	}
	if len(others) > 0 {
		s.unclear = unclearEncoding(s.name, scan.words, append([]charset{s.charset}, others...))
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
	f, err := s.content()
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
