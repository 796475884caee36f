package dashboard

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed templates static
var embedded embed.FS

// staticPath is where static files are served, in a folder that is named by their hash.
const staticPath = prefix + "/static/"

// hashBytes is how much of the hash is in the name of the folder.
const hashBytes = 5

// sourceFolder is where the files are in the source tree, from which a development server is started.
const sourceFolder = "internal/dashboard"

// files are the templates and static files: those in the program, or in development those in the source folder.
type files struct {
	fs.FS
	live  bool // read again every time
	mu    sync.Mutex
	names map[string]bool // of static files
	hash  string          // of all of them
}

func newFiles(dev bool) *files {
	f := &files{FS: embedded}
	if at, err := os.Stat(sourceFolder + "/templates"); dev && err == nil && at.IsDir() {
		f.FS, f.live = os.DirFS(sourceFolder), true
	}
	f.index()
	return f
}

// index names the folder of the static files by the content of all of them: so the parts of the script find each
// other by their names.
func (f *files) index() {
	names, sum := map[string]bool{}, sha256.New()
	list, err := fs.ReadDir(f, "static")
	if err != nil {
		panic(err) // the folder is in the program
	}
	for _, entry := range list {
		content, err := fs.ReadFile(f, "static/"+entry.Name())
		if err != nil {
			continue // deleted since the folder was read
		}
		names[entry.Name()] = true
		fmt.Fprintf(sum, "%s\x00%d\x00%s", entry.Name(), len(content), content)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names, f.hash = names, hex.EncodeToString(sum.Sum(nil)[:hashBytes])
}

// asset is the address of a static file.
func (f *files) asset(name string) string {
	if f.live {
		f.index()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.names[name] {
		panic("there is no static file " + name)
	}
	return staticPath + f.hash + "/" + name
}

// scripts are the addresses of what the script imports, which a browser would find out one file after the other.
func (f *files) scripts() (list []string) {
	f.mu.Lock()
	names := slices.Sorted(maps.Keys(f.names))
	f.mu.Unlock()
	for _, name := range names {
		if path.Ext(name) == ".js" && name != "app.js" {
			list = append(list, f.asset(name))
		}
	}
	return list
}

// Tokens are the colours, fonts and sizes of the pages: CSS for other pages that are to look like them.
func Tokens() string {
	content, err := fs.ReadFile(embedded, "static/dash.css")
	if err != nil {
		panic(err) // the file is in the program
	}
	const begin, end = "@layer tokens {", "\n}\n"
	_, tokens, _ := strings.Cut(string(content), begin)
	tokens, _, _ = strings.Cut(tokens, end)
	return begin + tokens + end
}

// types are the content types of static files: the system's own list may say that a script is a text.
var types = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// ServeHTTP serves a static file. Its address changes with the content of all of them, so browsers may cache it for
// ever. A page of another version, which a node of that version has sent, gets the file of this one: better than
// none, and not to be cached.
func (f *files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	folder, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, staticPath), "/")
	f.mu.Lock()
	known, ours := f.names[name], folder == f.hash
	f.mu.Unlock()
	content, err := fs.ReadFile(f, "static/"+name)
	if !known || len(folder) != 2*hashBytes || err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", types[path.Ext(name)])
	h.Set("Cache-Control", "no-store")
	if ours {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(content) // the browser may be gone
}
