package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// framing is the part of a header that describes the body.
type framing struct {
	length  int // bytes of body; 0 when chunked
	chunked bool
	closes  bool // the other side closes after this message
}

var errLongHeader = errors.New("a header line is longer than the read buffer")

// readLine reads the next line without its line end. The bytes are valid until the next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, errLongHeader
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, err
	}
	line = line[:len(line)-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, nil
}

// readHeader reads header lines up to the empty one and answers the framing.
// each, when given, sees every line.
func readHeader(r *bufio.Reader, each func(name, value []byte)) (framing, error) {
	var f framing
	for {
		line, err := readLine(r)
		if err != nil {
			return f, err
		}
		if len(line) == 0 {
			return f, nil
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 0 {
			return f, fmt.Errorf("header line without a colon: %q", line)
		}
		name := line[:colon]
		switch colon { // the length of the name separates nearly all of them
		case len("content-length"):
			if bytes.EqualFold(name, []byte("content-length")) {
				n, err := strconv.Atoi(string(bytes.TrimSpace(line[colon+1:])))
				if err != nil || n < 0 {
					return f, fmt.Errorf("bad content length: %q", line)
				}
				f.length = n
			}
		case len("connection"):
			if bytes.EqualFold(name, []byte("connection")) {
				f.closes = bytes.EqualFold(bytes.TrimSpace(line[colon+1:]), []byte("close"))
			}
		case len("transfer-encoding"):
			if bytes.EqualFold(name, []byte("transfer-encoding")) {
				f.chunked = bytes.Contains(bytes.ToLower(line[colon+1:]), []byte("chunked"))
			}
		}
		if each != nil {
			each(name, bytes.TrimSpace(line[colon+1:]))
		}
	}
}

// readBody reads the body that f announces. With keep it appends it to into;
// without, it is thrown away. It answers the kept bytes and the number read.
func readBody(r *bufio.Reader, f framing, into []byte, keep bool) ([]byte, int, error) {
	if !f.chunked {
		into, err := readPart(r, f.length, into, keep)
		return into, f.length, err
	}
	total := 0
	for {
		line, err := readLine(r)
		if err != nil {
			return into, total, err
		}
		if semicolon := bytes.IndexByte(line, ';'); semicolon >= 0 {
			line = line[:semicolon]
		}
		size, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return into, total, fmt.Errorf("bad chunk size: %q", line)
		}
		if size == 0 {
			_, err := readHeader(r, nil) // trailers, up to the empty line
			return into, total, err
		}
		if into, err = readPart(r, int(size), into, keep); err != nil {
			return into, total, err
		}
		total += int(size)
		if line, err = readLine(r); err != nil || len(line) != 0 {
			return into, total, errors.Join(errors.New("a chunk does not end where it said"), err)
		}
	}
}

// readPart reads exactly n bytes.
func readPart(r *bufio.Reader, n int, into []byte, keep bool) ([]byte, error) {
	if !keep {
		_, err := r.Discard(n)
		return into, err
	}
	start := len(into)
	if free := cap(into) - start; free < n {
		into = append(into, make([]byte, n)...)
	}
	into = into[:start+n]
	_, err := io.ReadFull(r, into[start:])
	return into, err
}
