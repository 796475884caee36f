package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"strconv"
	"time"
)

// copyBelow is the body size, in bytes, up to which header and body are
// copied together and sent in one write; larger bodies go out as they are.
const copyBelow = 16 << 10

// conn is one keep-alive HTTP/1.1 connection with one request at a time: enough for a closed loop, and several times
// cheaper than the standard library's client (docs/performance.md has the figures). It never asks for compression. Not
// safe for concurrent use.
type conn struct {
	target   *target
	deadline time.Time // of the whole run; one setting costs nothing per request
	net      net.Conn
	read     *bufio.Reader
	out      []byte // what is sent: reused
	in       []byte // the kept body: reused
}

// answer is a response. body is set only on request, and valid until the next request.
type answer struct {
	status   int
	body     []byte
	sent     int // bytes on the wire, header included
	received int // bytes of body
}

func newConn(t *target, deadline time.Time) *conn {
	return &conn{target: t, deadline: deadline, read: bufio.NewReaderSize(nil, 64<<10)}
}

// close ends the connection; the next request opens a new one.
func (c *conn) close() {
	if c.net != nil {
		c.net.Close()
		c.net = nil
	}
}

func (c *conn) open() error {
	if c.net != nil {
		return nil
	}
	n, err := c.target.dial(c.deadline)
	if err != nil {
		return err
	}
	if err := n.SetDeadline(c.deadline); err != nil {
		n.Close()
		return err
	}
	c.net = n
	c.read.Reset(n)
	return nil
}

// exchange sends one request and reads its answer. head is the request line
// and the header lines, each with its line end, without the last empty line;
// the length of body is added here. After an error the connection is closed.
func (c *conn) exchange(head, body []byte, keep bool) (a answer, err error) {
	if err := c.open(); err != nil {
		return a, err
	}
	a, closes, err := c.roundTrip(head, body, keep)
	if err != nil || closes {
		c.close()
	}
	return a, err
}

func (c *conn) roundTrip(head, body []byte, keep bool) (a answer, closes bool, err error) {
	c.out = append(c.out[:0], head...)
	if body != nil {
		c.out = append(c.out, "Content-Length: "...)
		c.out = strconv.AppendInt(c.out, int64(len(body)), 10)
		c.out = append(c.out, '\r', '\n')
	}
	c.out = append(c.out, '\r', '\n')
	a.sent = len(c.out) + len(body)
	if len(body) < copyBelow {
		c.out = append(c.out, body...)
		_, err = c.net.Write(c.out)
	} else {
		buffers := net.Buffers{c.out, body}
		_, err = buffers.WriteTo(c.net)
	}
	if err != nil {
		return a, true, fmt.Errorf("send the request: %w", err)
	}
	var f framing
	for a.status < 200 { // an interim answer (1xx) has no body and is followed by the real one
		line, err := readLine(c.read)
		if err != nil {
			return a, true, fmt.Errorf("read the answer: %w", err)
		}
		if a.status, err = statusOf(line); err != nil {
			return a, true, err
		}
		if f, err = readHeader(c.read, nil); err != nil {
			return a, true, fmt.Errorf("read the answer's header: %w", err)
		}
	}
	if a.status == 204 || a.status == 304 {
		return a, f.closes, nil
	}
	keep = keep || a.status >= 400 // an error's body has the reason
	c.in, a.received, err = readBody(c.read, f, c.in[:0], keep)
	if err != nil {
		return a, true, fmt.Errorf("read the answer's body: %w", err)
	}
	a.body = c.in
	return a, f.closes, nil
}

// statusOf reads "HTTP/1.1 201 Created".
func statusOf(line []byte) (int, error) {
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.")) || line[8] != ' ' {
		return 0, fmt.Errorf("not an HTTP/1 answer: %q", line)
	}
	status := 0
	for _, digit := range line[9:12] {
		if digit < '0' || digit > '9' {
			return 0, fmt.Errorf("not a status code: %q", line)
		}
		status = status*10 + int(digit-'0')
	}
	if status < 100 {
		return 0, fmt.Errorf("not a status code: %q", line)
	}
	return status, nil
}
