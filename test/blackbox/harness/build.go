package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"entrepot/internal/db/dbtest"
)

var build struct {
	once sync.Once
	path string
	err  error
}

// Binary builds ./cmd/entrepot once and returns its path. ENTREPOT_TEST_BINARY names a program to use instead, so that
// a release can run the same tests. Tests of the program are long ones, see dbtest.Long.
func Binary(t testing.TB) string {
	t.Helper()
	dbtest.Long(t, "it starts the program")
	build.once.Do(func() { build.path, build.err = buildBinary() })
	if build.err != nil {
		t.Fatalf("building the service: %v", build.err)
	}
	return build.path
}

func buildBinary() (string, error) {
	if given := os.Getenv("ENTREPOT_TEST_BINARY"); given != "" {
		path, err := filepath.Abs(given)
		if err == nil {
			_, err = os.Stat(path) // so that go test runs again what it has passed with another program
		}
		return path, err
	}
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	path := filepath.Join(os.TempDir(), fmt.Sprintf("entrepot-blackbox-%d", os.Getpid()), "entrepot")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	args := []string{"build", "-o", path}
	if raceEnabled {
		args = append(args, "-race")
	}
	command := exec.Command("go", append(args, "./cmd/entrepot")...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/entrepot: %w\n%s", err, out)
	}
	return path, nil
}

// Cleanup removes what Binary built; TestMain calls it once.
func Cleanup() {
	if build.path != "" && os.Getenv("ENTREPOT_TEST_BINARY") == "" {
		os.RemoveAll(filepath.Dir(build.path))
	}
}

// moduleRoot is the nearest folder upwards that holds go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the test's folder")
		}
		dir = parent
	}
}
