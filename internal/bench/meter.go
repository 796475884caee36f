package bench

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// meter measures processor time over a run: this process's own and, when their numbers are known, that of all nodes of
// the service.
type meter struct {
	pids   []int
	own    time.Duration
	server time.Duration
}

func startMeter(pids []int) meter {
	m := meter{pids: pids, own: ownCPU()}
	m.server, _ = processesCPU(pids)
	return m
}

// stop computes the cost of the run per request.
func (m meter) stop(f *Figures) {
	requests := float64(f.Requests) + float64(f.Failures)
	if requests == 0 {
		return
	}
	f.ClientCPU = float64(ownCPU()-m.own) / 1e3 / requests
	if server, known := processesCPU(m.pids); known {
		f.ServerCPU = float64(server-m.server) / 1e3 / requests
		for _, pid := range m.pids {
			f.ServerRSS += processMemory(pid, "VmRSS")
			f.ServerRSSMax += processMemory(pid, "VmHWM")
		}
	}
}

// processesCPU is processCPU of several processes together.
func processesCPU(pids []int) (sum time.Duration, known bool) {
	for _, pid := range pids {
		used, ok := processCPU(pid)
		if !ok {
			return 0, false
		}
		sum += used
	}
	return sum, len(pids) > 0
}

// ticksPerSecond is the unit of /proc/PID/stat: 100 on every Linux that Go
// runs on.
const ticksPerSecond = 100

// processCPU is the processor time a process has used, from /proc; unknown on
// systems without it.
func processCPU(pid int) (time.Duration, bool) {
	if pid <= 0 {
		return 0, false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	return cpuOfStat(stat)
}

// cpuOfStat reads user and system time out of a stat line. The command's name
// stands in parentheses and may itself hold spaces and parentheses.
func cpuOfStat(stat []byte) (time.Duration, bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(string(fields[11]), 10, 64)
	system, err2 := strconv.ParseInt(string(fields[12]), 10, 64)
	if err1 != nil || err2 != nil {
		return 0, false
	}
	return time.Duration(user+system) * (time.Second / ticksPerSecond), true
}

// processMemory is one of the sizes of /proc/PID/status in bytes: VmRSS (now)
// or VmHWM (peak); 0 when unknown.
func processMemory(pid int, field string) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	return memoryOfStatus(string(status), field)
}

func memoryOfStatus(status, field string) int64 {
	for line := range strings.Lines(status) {
		if rest, found := strings.CutPrefix(line, field+":"); found {
			kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return kilobytes << 10
		}
	}
	return 0
}
