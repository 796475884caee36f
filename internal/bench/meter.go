package bench

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// meter measures the processor time of the service's processes over a run.
type meter struct {
	pids []int
	used time.Duration
}

func startMeter(pids []int) meter { return meter{pids, processorTime(pids)} }

// stop adds processor time and memory to the figures, where the system reports them.
func (m meter) stop(f *Figures) {
	if f.Items == 0 {
		return
	}
	f.ServerCPU = float64((processorTime(m.pids) - m.used).Microseconds()) / float64(f.Items)
	for _, pid := range m.pids {
		f.ServerMemory += memory(pid)
	}
}

// tick is the unit of /proc/PID/stat on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// processorTime returns what the processes have used, from /proc; 0 on systems without it.
func processorTime(pids []int) (sum time.Duration) {
	for _, pid := range pids {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // behind the command's name, which may have spaces
		if len(fields) < 13 {
			continue
		}
		user, _ := strconv.Atoi(string(fields[11]))
		system, _ := strconv.Atoi(string(fields[12]))
		sum += time.Duration(user+system) * tick
	}
	return sum
}

// memory returns the resident memory of a process in bytes; 0 if it is not known.
func memory(pid int) int64 {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			kilobytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}
