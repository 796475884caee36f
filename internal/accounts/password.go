package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Lengths in bytes.
const (
	hashLength = 32
	saltLength = 16
)

// Hashing is the cost of hashing a password with argon2id: Memory in KiB, and Passes over it, in one thread. The zero
// value is the cost of stored passwords, 19 MiB and two passes. Tests use less, because their passwords protect
// nothing.
type Hashing struct{ Memory, Passes uint32 }

// cost is h, or the cost of stored passwords for the zero value.
func (h Hashing) cost() Hashing {
	if h == (Hashing{}) {
		return Hashing{Memory: 19 << 10, Passes: 2}
	}
	return h
}

// key hashes a password.
func (h Hashing) key(password string, salt []byte, length uint32) []byte {
	h = h.cost()
	return argon2.IDKey([]byte(password), salt, h.Passes, h.Memory, 1, length)
}

// Bounds of a password in characters. The upper one limits the cost of hashing.
const (
	MinPassword = 8
	MaxPassword = 200
)

// BadPassword is the error of a new password, "" for none. others are the user's e-mail address and name.
func BadPassword(password string, others ...string) string {
	if n := utf8.RuneCountInString(password); n < MinPassword || n > MaxPassword {
		return fmt.Sprintf("must have %d to %d characters", MinPassword, MaxPassword)
	}
	return guessable(password, others)
}

// Hash is the stored form of a password: "argon2id$19456$2$salt$hash". It takes tens of milliseconds, so call it
// before a transaction, never inside one, and only for callers who may set one. Errors: Unavailable, see Slot.
func (h Hashing) Hash(ctx context.Context, password string) (string, error) {
	done, err := Slot(ctx, Waiter{Known: true})
	if err != nil {
		return "", err
	}
	defer done()
	salt := make([]byte, saltLength)
	rand.Read(salt)
	cost := h.cost()
	return fmt.Sprintf("argon2id$%d$%d$%s$%s", cost.Memory, cost.Passes, encode(salt), encode(h.key(password, salt, hashLength))), nil
}

// Matches reports whether a password is that of the stored hash, whatever its cost. An empty hash matches nothing and
// takes as long as one made by Hash. The caller holds a Slot.
func (h Hashing) Matches(stored, password string) (bool, error) {
	if stored == "" {
		h.key(password, make([]byte, saltLength), hashLength)
		return false, nil
	}
	var made Hashing
	parts := strings.Split(stored, "$")
	if len(parts) != 5 || parts[0] != "argon2id" {
		return false, errors.New("a stored password hash is damaged")
	}
	_, err := fmt.Sscanf(parts[1]+" "+parts[2], "%d %d", &made.Memory, &made.Passes)
	salt, err2 := base64.RawStdEncoding.DecodeString(parts[3])
	hash, err3 := base64.RawStdEncoding.DecodeString(parts[4])
	if err := errors.Join(err, err2, err3); err != nil {
		return false, fmt.Errorf("a stored password hash is damaged: %w", err)
	}
	return subtle.ConstantTimeCompare(hash, made.key(password, salt, uint32(len(hash)))) == 1, nil
}

// Disguise converts a password to a text that is the same for the same password and salt, and as costly to guess as a
// stored hash: it replaces the password when a request's body is compared with an earlier one. Errors: Unavailable,
// see Slot.
func (h Hashing) Disguise(ctx context.Context, password, salt string) (string, error) {
	done, err := Slot(ctx, Waiter{Known: true})
	if err != nil {
		return "", err
	}
	defer done()
	sum := sha256.Sum256([]byte(salt))
	return hex.EncodeToString(h.key(password, sum[:saltLength], hashLength)), nil
}

func encode(b []byte) string { return base64.RawStdEncoding.EncodeToString(b) }
