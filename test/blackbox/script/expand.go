package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

var insertForm = regexp.MustCompile(`\$\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}`)

// expand writes bound names and made-up values into a text:
//
//	${name}            what was bound
//	${uuid}            a fresh UUIDv7
//	${repeat:x:255}    x, 255 times
//	${many:501:{…%d…}} the text 501 times with commas between, %d counting from 1
//	${deep:32}         JSON objects nested 32 deep
//	${bom}             a byte order mark
//	${now} ${ago:1h} ${in:1h} ${today}
func (r *run) expand(text string) (string, error) {
	var fault error
	written := insertForm.ReplaceAllStringFunc(text, func(found string) string {
		value, err := r.insert(found[2 : len(found)-1])
		if err != nil && fault == nil {
			fault = err
		}
		return value
	})
	return written, fault
}

func (r *run) insert(name string) (string, error) {
	if value, bound := r.vars[name]; bound {
		return value, nil
	}
	word, argument, _ := strings.Cut(name, ":")
	now := time.Now().UTC()
	switch word {
	case "uuid":
		id, err := uuid.NewV7()
		return id.String(), err
	case "now":
		return now.Format(time.RFC3339Nano), nil
	case "today":
		return now.Format(time.DateOnly), nil
	case "ago", "in":
		duration, err := time.ParseDuration(argument)
		if word == "ago" {
			duration = -duration
		}
		return now.Add(duration).Format(time.RFC3339Nano), err
	case "deep":
		depth, err := strconv.Atoi(argument)
		return strings.Repeat(`{"a":`, max(0, depth-1)) + "{}" + strings.Repeat("}", max(0, depth-1)), err
	case "bom":
		return "\ufeff", nil
	case "repeat":
		at := strings.LastIndex(argument, ":")
		count, err := strconv.Atoi(argument[at+1:])
		return strings.Repeat(argument[:max(0, at)], max(0, count)), err
	case "many":
		number, each, _ := strings.Cut(argument, ":")
		count, err := strconv.Atoi(number)
		parts := make([]string, max(0, count))
		for at := range parts {
			parts[at] = strings.ReplaceAll(each, "%d", strconv.Itoa(at+1))
		}
		return strings.Join(parts, ","), err
	}
	return "", fmt.Errorf("${%s} is not bound", name)
}
