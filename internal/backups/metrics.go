package backups

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	age      = prometheus.NewDesc("entrepot_backup_age_seconds", "Time since the last good backup began; +Inf: there is none.", nil, nil)
	size     = prometheus.NewDesc("entrepot_backup_size_bytes", "Size of the last good backup.", nil, nil)
	lost     = prometheus.NewDesc("entrepot_backup_failed", "1 if the last backup failed, else 0.", nil, nil)
	checkAge = prometheus.NewDesc("entrepot_backup_check_age_seconds", "Time since the last good check of a backup began; +Inf: there is none.",
		nil, nil)
	checkOK = prometheus.NewDesc("entrepot_backup_check_ok", "1 if the last check found the newest backup good, 0 if not, or if none was checked.",
		nil, nil)
)

// collector shows the status of the backups on /metrics.
type collector struct {
	status func() (Status, bool)
	now    func() time.Time
}

// Collector returns the metrics of the backups; without a status there are none.
func Collector(status func() (Status, bool), now func() time.Time) prometheus.Collector {
	return collector{status, now}
}

// Describe sends the descriptions of the metrics.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{age, size, lost, checkAge, checkOK} {
		to <- d
	}
}

// Collect sends the metrics.
func (c collector) Collect(to chan<- prometheus.Metric) {
	s, ok := c.status()
	if !ok {
		return
	}
	send := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	since := func(at time.Time) float64 {
		if at.IsZero() {
			return math.Inf(1)
		}
		return c.now().Sub(at).Seconds()
	}
	flag := func(on bool) float64 {
		if on {
			return 1
		}
		return 0
	}
	send(age, since(s.Backup.DoneAt))
	send(size, float64(s.Backup.Bytes))
	send(lost, flag(s.Backup.Failed()))
	send(checkAge, since(s.Check.DoneAt))
	send(checkOK, flag(!s.Check.DoneAt.IsZero() && !s.Check.Failed()))
}
