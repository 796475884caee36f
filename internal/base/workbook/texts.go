package workbook

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"entrepot/internal/base/disk"
)

// mostTexts is how many texts cells may share; each takes eight bytes of memory.
const mostTexts = 4 << 20

// texts are the texts that cells share, in a temporary file.
type texts struct {
	file *disk.Temporary
	ends []int64 // where each text ends, and the next begins
}

// readTexts copies the shared texts to a temporary file.
func (b *Book) readTexts(f *zip.File) (t *texts, err error) {
	t = &texts{}
	if t.file, err = disk.NewTemporary(""); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	out := bufio.NewWriterSize(t.file, 64<<10)
	var end int64
	var text richText
	err = b.each(f, func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			if text.begin(e.Name.Local); e.Name.Local == "si" {
				text.reset()
			}
		case xml.CharData:
			return text.add(e)
		case xml.EndElement:
			if text.end(e.Name.Local); e.Name.Local == "si" {
				n, _ := out.WriteString(text.String()) // Flush has its error
				end += int64(n)
				if t.ends = append(t.ends, end); len(t.ends) > mostTexts {
					return fmt.Errorf("has more than %d different texts: divide it, or export the sheet as CSV", mostTexts)
				}
			}
		}
		return nil
	})
	if err == nil {
		err = out.Flush()
	}
	return t, err
}

// at is a text by its number.
func (t *texts) at(number string) (string, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(t.ends) {
		return "", errors.New("refers to a text that the workbook does not have")
	}
	from := int64(0)
	if n > 0 {
		from = t.ends[n-1]
	}
	text := make([]byte, t.ends[n]-from)
	if len(text) == 0 {
		return "", nil
	}
	_, err = t.file.ReadAt(text, from)
	return string(text), err
}

func (t *texts) close() { t.file.Close() }

// richText joins the pieces of a text with several fonts, without what says how it is spoken.
type richText struct {
	strings.Builder
	inside, spoken bool
}

func (r *richText) reset() { r.Reset(); r.inside, r.spoken = false, false }

func (r *richText) begin(element string) {
	switch element {
	case "t":
		r.inside = !r.spoken
	case "rPh":
		r.spoken = true
	}
}

func (r *richText) end(element string) {
	switch element {
	case "t":
		r.inside = false
	case "rPh":
		r.spoken = false
	}
}

func (r *richText) add(piece []byte) error {
	if !r.inside {
		return nil
	}
	if r.Len()+len(piece) > mostPiece {
		return fmt.Errorf("has a cell of more than %d MB: shorten it", mostPiece>>20)
	}
	r.Write(piece)
	return nil
}

// String is the text; characters that XML cannot hold are written _x000D_ in it.
func (r *richText) String() string {
	text := r.Builder.String()
	if !strings.Contains(text, "_x") {
		return text
	}
	return escaped.ReplaceAllStringFunc(text, func(sign string) string {
		code, err := strconv.ParseUint(sign[2:6], 16, 16)
		if err != nil {
			return sign
		}
		return string(rune(code))
	})
}

var escaped = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)
