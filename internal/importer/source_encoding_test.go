package importer

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func encoded(t *testing.T, text string, as interface{ String(string) (string, error) }) string {
	t.Helper()
	out, err := as.String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEncodingIsDetected(t *testing.T) {
	const text = "sku,name\nMUG,Café crème £5 – “best”\n"
	long := strings.Repeat("A,plain line\n", 40_000) // beyond the sample
	le := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder()
	be := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder()
	cp := charmap.Windows1252.NewEncoder()
	for name, test := range map[string]struct{ bytes, asked, charset, want string }{
		"UTF-8":                     {text, "", "utf-8", text},
		"ASCII":                     {"a,b\n", "auto", "utf-8", "a,b\n"},
		"UTF-8 with mark":           {"\xEF\xBB\xBF" + text, "", "utf-8", text},
		"Windows-1252":              {encoded(t, text, cp), "", "windows-1252", text},
		"Windows-1252 far behind":   {long + encoded(t, text, cp), "", "windows-1252", long + text},
		"UTF-8 far behind":          {long + text, "", "utf-8", long + text},
		"UTF-8 cut at the end":      {"Größe,caf\xC3", "", "utf-8", "Größe,caf\uFFFD"},
		"UTF-8 with a foreign byte": {"Größe,Müller,caf\xE9,x\n", "", "utf-8", "Größe,Müller,caf\uFFFD,x\n"},
		"UTF-16 LE with mark":       {"\xFF\xFE" + encoded(t, text, le), "", "utf-16le", text},
		"UTF-16 BE with mark":       {"\xFE\xFF" + encoded(t, text, be), "", "utf-16be", text},
		"UTF-16 LE without mark":    {encoded(t, text, le), "", "utf-16le", text},
		"UTF-16 BE without mark":    {encoded(t, text, be), "", "utf-16be", text},
		"asked: ISO 8859-15":        {"\xA4 5", "iso-8859-15", "iso-8859-15", "€ 5"},
		"asked: Latin-1":            {"\xE9", "latin1", "iso-8859-1", "é"},
		"asked: UTF-8, bad bytes":   {"caf\xE9,x", "utf-8", "utf-8", "caf\uFFFD,x"},
		"asked: UTF-16 for a mark":  {"\xFF\xFE" + encoded(t, text, le), "utf-16", "utf-16le", text},
		"asked: UTF-8 with a mark":  {"\xEF\xBB\xBF" + text, "UTF8", "utf-8", text},
		"asked: Windows 1250":       {"\x9C", "windows-1250", "windows-1250", "ś"},
		"marked UTF-8 is believed":  {"\xEF\xBB\xBFcaf\xE9", "", "utf-8", "caf\uFFFD"},
		"undefined in Windows-1252": {"a\x81\xE9", "", "windows-1252", "a\uFFFDé"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, gzipped := range []bool{false, true} {
				path := filepath.Join(t.TempDir(), "file")
				content := []byte(test.bytes)
				if gzipped {
					var b bytes.Buffer
					w := gzip.NewWriter(&b)
					_, _ = w.Write(content)
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
					content = b.Bytes()
				}
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
				s, err := openSource(Options{File: path, Encoding: test.asked})
				if err != nil {
					t.Fatal(err)
				}
				text, closeFile, err := s.open()
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(text)
				if err != nil {
					t.Fatal(err)
				}
				if err := closeFile(); err != nil {
					t.Fatal(err)
				}
				if string(got) != test.want || s.charset.name != test.charset || s.gzipped != gzipped {
					t.Errorf("gzip %v: %s %.80q, want %s %.80q", gzipped, s.charset.name, got, test.charset, test.want)
				}
				if s.read.Load() != s.size {
					t.Errorf("%d of %d bytes counted", s.read.Load(), s.size)
				}
			}
		})
	}
}

// The characters are found broken or whole wherever the blocks are cut.
func TestScanAcrossBlocks(t *testing.T) {
	for text, broken := range map[string]bool{"aé€😀z": false, "a\xE2\x82z": true, "é\xFF": true, "€\xE2\x82": true} {
		for size := 1; size <= len(text); size++ {
			scan := &textScan{}
			for from := 0; from < len(text); from += size {
				_, _ = scan.Write([]byte(text[from:min(from+size, len(text))]))
			}
			if scan.broken() != broken {
				t.Errorf("%q in blocks of %d: broken %v, want %v", text, size, scan.broken(), broken)
			}
		}
	}
}

func TestSourcesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"):                      "cannot be read",
		write("empty", ""):                              "is empty",
		write("book.xlsx", "PK\x03\x04rest"):            "workbook",
		write("cut.gz", "\x1f\x8b\x08\x00\x00\x00\x00"): "gzip",
		dir: "cannot be read",
	} {
		_, err := openSource(Options{File: path})
		if call, ok := err.(*CallError); !ok || !strings.Contains(call.Message, want) {
			t.Errorf("%s: %v, want a wrong call with %q", path, err, want)
		}
	}
	if _, err := openSource(Options{File: write("x", "a"), Encoding: "klingon"}); err == nil {
		t.Error("an unknown encoding was taken")
	}
}

func TestStandardInputIsSpooled(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s, err := openSource(Options{File: "-", Stdin: strings.NewReader("sku,name\nA,B\n")})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.sha256) != 64 || string(s.sample) != "sku,name\nA,B\n" || !s.whole {
		t.Errorf("%+v", s)
	}
	if named, err := os.ReadDir(dir); err != nil || len(named) > 0 && runtime.GOOS != "windows" {
		t.Error("a process that is killed would leave the copy behind:", named, err)
	}
	text, end, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(text); string(all) != "sku,name\nA,B\n" || err != nil {
		t.Errorf("read %q, %v", all, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	s.close()
}
