package server_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"entrepot/internal/backups"
	"entrepot/internal/base/bucket"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
)

// places are a folder and a bucket of an S3 service in memory.
func places(t *testing.T) map[string]bucket.Bucket {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("shop"); err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(service.Close)
	all := map[string]bucket.Bucket{}
	for name, place := range map[string]string{"folder": filepath.Join(t.TempDir(), "backups"), "s3": "s3://shop/nightly"} {
		b, err := bucket.Open(place, bucket.S3{Endpoint: service.URL, Region: "us-east-1", Key: "id", Secret: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		all[name] = b
	}
	return all
}

// metric is the value of a metric without labels on /metrics.
func metric(t *testing.T, s *server.Server, name string) (value float64, there bool) {
	t.Helper()
	_, page := get(t, s.URL()+"/metrics")
	line := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(page)
	if line == nil {
		return 0, false
	}
	value, err := strconv.ParseFloat(line[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return value, true
}

// A running service makes a backup, checks it, and shows both on /metrics; it leaves no file of its own work.
func TestServiceMakesAndChecksBackups(t *testing.T) {
	for _, kind := range []string{"folder", "s3"} {
		t.Run(kind, func(t *testing.T) {
			engines(t, func(t *testing.T, c server.Config, said *log) {
				c.Admin = server.Admin{Email: "me@example.com", Password: "a long passphrase", Plan: "pro"}
				to := places(t)[kind]
				c.Backups = server.Backups{To: to, Every: time.Hour, Keep: 3, Poll: 5 * time.Millisecond}
				s, stop := start(t, c)
				checkedOn(t, s)
				age, _ := metric(t, s, "entrepot_backup_age_seconds")
				size, _ := metric(t, s, "entrepot_backup_size_bytes")
				failed, there := metric(t, s, "entrepot_backup_failed")
				if age < 0 || age > dbtest.Timeout.Seconds() || size < 10_000 || failed != 0 || !there {
					t.Errorf("age %f, size %f, failed %f %v", age, size, failed, there)
				}
				if err := stop(); err != nil {
					t.Error(err)
				}
				checked, err := backups.Check(t.Context(), to, t.TempDir(), "")
				if err != nil || checked.Verified != (c.URL == "") || c.URL != "" && checked.Rows < 15 {
					t.Errorf("%+v, %v", checked, err)
				}
				if left, _ := filepath.Glob(filepath.Join(c.Dir, ".entrepot-backup-*")); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
				if !strings.Contains(said.String(), "backup made and checked") || !strings.Contains(said.String(), "can be restored") {
					t.Errorf("log: %s", said)
				}
			})
		})
	}
}

// A service without backups shows nothing of them.
func TestServiceWithoutBackups(t *testing.T) {
	c := config(&log{})
	c.Dir = t.TempDir()
	s, _ := start(t, c)
	if _, there := metric(t, s, "entrepot_backup_age_seconds"); there {
		t.Error("a service without backups has an age of one")
	}
}

// checkedOn waits until a node shows that a backup was checked.
func checkedOn(t *testing.T, s *server.Server) {
	t.Helper()
	dbtest.Until(t, "a backup is checked", func() bool {
		ok, _ := metric(t, s, "entrepot_backup_check_ok")
		return ok == 1
	})
}

// Of several nodes one makes the backup that is due.
func TestOneNodeMakesTheBackup(t *testing.T) {
	c := config(&log{})
	c.Dir, c.URL = t.TempDir(), dbtest.URL(t)
	to := places(t)["folder"]
	c.Backups = server.Backups{To: to, Every: time.Hour, Keep: 3, Poll: time.Millisecond}
	nodes := make([]*server.Server, 3)
	for i := range nodes {
		nodes[i], _ = start(t, c)
	}
	for _, s := range nodes {
		checkedOn(t, s)
	}
	if names, err := backups.List(t.Context(), to); err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
}

// A backup that fails is logged with the reason, and shown on /metrics; the service goes on.
func TestFailedBackupIsVisible(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		to, err := bucket.Open(path, bucket.S3{})
		if err != nil {
			t.Fatal(err)
		}
		c.Backups = server.Backups{To: to, Every: time.Hour, Keep: 1, Poll: time.Millisecond}
		s, _ := start(t, c)
		dbtest.Until(t, "the failure is shown", func() bool {
			failed, _ := metric(t, s, "entrepot_backup_failed")
			return failed == 1
		})
		if age, _ := metric(t, s, "entrepot_backup_age_seconds"); fmt.Sprint(age) != "+Inf" {
			t.Errorf("the age of no backup is %f", age)
		}
		lines := slices.DeleteFunc(strings.Split(said.String(), "\n"), func(line string) bool {
			return !strings.Contains(line, "level=ERROR") || !strings.Contains(line, path) || !strings.Contains(line, "not a directory")
		})
		if len(lines) != 1 { // a try in ten minutes
			t.Errorf("%d lines: %s", len(lines), said)
		}
		if status, _ := get(t, s.URL()+"/readyz"); status != 200 {
			t.Errorf("/readyz: %d", status)
		}
	})
}
