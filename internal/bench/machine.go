package bench

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Machine describes the machine on which the figures were measured.
type Machine struct {
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	CPU       string `json:"cpu,omitempty"`
	Cores     int    `json:"cores"`
	GoVersion string `json:"goVersion"`
	// SyncMicros is the median time to append 4 KiB to a file and sync it to the disk: the least time of a commit that
	// is not shared.
	SyncMicros float64 `json:"fsyncMicros,omitempty"`
}

func thisMachine(folder string) Machine {
	return Machine{
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuModel(), Cores: runtime.NumCPU(),
		GoVersion: runtime.Version(), SyncMicros: float64(syncTime(folder)) / 1e3,
	}
}

func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// syncTime measures 32 synced writes in folder; 0 if it cannot be written.
func syncTime(folder string) time.Duration {
	if folder == "" {
		folder = os.TempDir()
	}
	f, err := os.Create(filepath.Join(folder, "entrepot-bench-sync"))
	if err != nil {
		return 0
	}
	defer os.Remove(f.Name())
	defer f.Close()
	block := make([]byte, 4096)
	var waits Histogram
	for range 32 {
		start := time.Now()
		if _, err := f.Write(block); err != nil {
			return 0
		}
		if err := f.Sync(); err != nil {
			return 0
		}
		waits.Add(time.Since(start))
	}
	return waits.Percentile(0.5)
}
