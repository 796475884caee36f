package dashboard

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/analytics"
	"entrepot/internal/base/regional"
)

// period is the days that the figures of the overview are of, in the user's zone: the last 7, 30 or 90, or the days
// from one to another.
type period struct {
	days     int
	from, to time.Time // midnights: of the first day, and after the last one
	chosen   bool      // by its days
	label    string    // "1 Nov – 9 Nov"
	wrong    string    // why the days of the address cannot be shown
	f        format
}

// mostDays is how many days a period has at most: each is a column of the chart and a row of its table.
const mostDays = 92

// period reads which days the address is about: 30 if it names none, or wrong ones.
func (r *request) period() period {
	q := r.http.URL.Query()
	p := period{days: 30, f: r.format}
	for _, n := range overviewDays {
		if q.Get("days") == strconv.Itoa(n) {
			p.days = n
		}
	}
	if q.Get("from") != "" || q.Get("to") != "" {
		p.choose(q.Get("from"), q.Get("to"))
	}
	if !p.chosen {
		p.from, p.to = r.format.midnight(1-p.days), r.format.midnight(1)
	}
	return p
}

// choose makes it the days from one to another, as the inputs send them.
func (p *period) choose(from, to string) {
	first, err := time.Parse(time.DateOnly, from)
	last, err2 := time.Parse(time.DateOnly, to)
	days := int(last.Sub(first).Hours()/24) + 1
	switch {
	case err != nil || err2 != nil || first.Year() < 1971 || last.Year() > 9998:
		p.wrong = "Choose a first and a last day"
	case days < 1:
		p.wrong = "The first day must not be after the last"
	case days > mostDays:
		p.wrong = p.f.say("Choose at most %d days", mostDays)
	default:
		p.chosen, p.days = true, days
		p.from, p.to = p.dayAt(first, 0), p.dayAt(last, 1)
		p.label = p.f.write(p.from, "2 Jan 2006") + " – " + p.f.write(p.dayAt(last, 0), "2 Jan 2006")
	}
}

// dayAt is the beginning of a day in the user's zone, some days after the day of a time.
func (p *period) dayAt(day time.Time, after int) time.Time {
	return regional.Day(day.Year(), day.Month(), day.Day()+after, p.f.zone)
}

// span and before are the period, and as many days before it.
func (p *period) span() analytics.Span {
	return analytics.Span{From: p.from.UnixMicro(), To: p.to.UnixMicro() - 1}
}

func (p *period) before() analytics.Span {
	return analytics.Span{From: p.dayAt(p.from.In(p.f.zone), -p.days).UnixMicro(), To: p.from.UnixMicro() - 1}
}

// current reports whether today is the last day.
func (p *period) current() bool { return p.to.Equal(p.f.midnight(1)) }

// query is the period as parameters of the overview.
func (p *period) query() url.Values {
	if !p.chosen {
		return url.Values{"days": {strconv.Itoa(p.days)}}
	}
	from, to := p.dates()
	return url.Values{"from": {from}, "to": {to}}
}

// placed are the parameters of the list of orders that were placed in it.
func (p *period) placed() string {
	if !p.chosen {
		return "placed=" + strconv.Itoa(p.days) + "d"
	}
	from, to := p.dates()
	return "createdAtGte=" + from + "&createdAtLte=" + to
}

// dates are the first and the last day, as inputs have them.
func (p *period) dates() (from, to string) {
	return p.from.In(p.f.zone).Format(time.DateOnly), p.dayAt(p.to.In(p.f.zone), -1).Format(time.DateOnly)
}

// spans are the periods to choose from, of the channel that is shown.
func (p *period) spans(of string) (list []tab) {
	for _, n := range overviewDays {
		list = append(list, tab{Label: p.f.plural(int64(n), "day", "days"), To: prefix + "/?days=" + strconv.Itoa(n) + of, Current: !p.chosen && n == p.days})
	}
	return list
}

// picker are the inputs of the form that chooses the days.
func (r *request) picker(p *period) []field {
	from, to := p.dates()
	if q := r.http.URL.Query(); p.wrong != "" {
		from, to = q.Get("from"), q.Get("to")
	}
	inputs := []field{{Form: "days", Name: "from", Label: "First day", Kind: "date", Value: from, Required: true},
		{Form: "days", Name: "to", Label: "Last day", Kind: "date", Value: to, Required: true}}
	inputs[1].Error = strings.TrimSpace(p.wrong)
	return inputs
}
