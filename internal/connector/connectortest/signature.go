package connectortest

import (
	"bytes"
	"strings"
	"testing"
)

func (s Suite) signature(t *testing.T) {
	body := s.Samples[0].Load(t)
	right := s.Sign(body)
	s.accepts(t, s.with(body, right))

	t.Run("wrong", func(t *testing.T) {
		for name, given := range map[string]string{
			"empty":       "",
			"blank":       " ",
			"short":       right[:len(right)-1],
			"half":        right[:len(right)/2],
			"first byte":  flip(right, 0),
			"last byte":   flip(right, len(right)-1),
			"long":        right + "0",
			"doubled":     right + right,
			"oversized":   strings.Repeat(right, 20000),
			"line after":  right + "\n",
			"quoted":      `"` + right + `"`,
			"bearer":      "Bearer " + right,
			"scheme":      "sha512=" + right,
			"not ascii":   right + "é",
			"zero byte":   right + "\x00",
			"all zero":    strings.Repeat("0", len(right)),
			"of nothing":  s.Sign(nil) + "!",
			"joined list": right + ", " + right,
		} {
			t.Run(name, func(t *testing.T) { s.refuses(t, s.Channel, s.with(body, given)) })
		}
	})
	t.Run("missing", func(t *testing.T) { s.refuses(t, s.Channel, s.with(body)) })
	t.Run("twice", func(t *testing.T) { s.refuses(t, s.Channel, s.with(body, right, right)) })
	t.Run("other case", func(t *testing.T) {
		if s.AnyCase {
			s.accepts(t, s.with(body, swapCase(right)))
			return
		}
		s.refuses(t, s.Channel, s.with(body, swapCase(right)))
	})
	t.Run("other secret", func(t *testing.T) {
		if s.SecretField == "" {
			t.Log("the platform signs with a key of its own")
			return
		}
		ch := s.without(s.SecretField)
		ch.Credentials[s.SecretField] = s.Channel.Credentials[s.SecretField] + "x"
		s.refuses(t, ch, s.with(body, right))
		if !s.BodyUnsigned {
			s.refuses(t, s.without(s.SecretField), s.with(body, right))
		}
	})
	t.Run("other body", func(t *testing.T) { s.otherBody(t, body, right) })
}

// otherBody changes every byte of the body in turn, and its ends.
func (s Suite) otherBody(t *testing.T, body []byte, right string) {
	verdict := s.refusesBody
	if s.BodyUnsigned {
		verdict = func(t *testing.T, other []byte, right string) { s.accepts(t, s.with(other, right)) }
	}
	for i := range body {
		other := bytes.Clone(body)
		other[i] ^= 1
		verdict(t, other, right)
	}
	for _, other := range [][]byte{nil, body[1:], body[:len(body)-1], append(bytes.Clone(body), '\n'), append([]byte(" "), body...)} {
		verdict(t, other, right)
	}
}

func (s Suite) refusesBody(t *testing.T, other []byte, right string) {
	t.Helper()
	s.refuses(t, s.Channel, s.with(other, right))
}

// flip changes one byte of a signature into another that could stand in one.
func flip(s string, i int) string {
	b := []byte(s)
	if b[i] == 'A' || b[i] == 'a' {
		b[i] = '0'
	} else {
		b[i] = 'a'
	}
	return string(b)
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, s)
}
