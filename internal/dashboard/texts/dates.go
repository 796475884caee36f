package texts

import (
	"regexp"
	"time"
)

// dateNames are the names of months and days of the week that package time writes; a language has them as texts.
var dateNames = regexp.MustCompile(`\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|January|February|March|April|June|July|` +
	`August|September|October|November|December|Mon|Tue|Wed|Thu|Fri|Sat|Sun|` +
	`Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b`)

// dayOfMonth is the day in a layout of package time with the month behind it.
var dayOfMonth = regexp.MustCompile(`\b2 Jan`)

// Date writes a time in the layout of package time, with the day before the month.
func (l *Language) Date(at time.Time, layout string) string {
	if l.texts == nil {
		return at.Format(layout)
	}
	if l.Code == "de" {
		layout = dayOfMonth.ReplaceAllString(layout, "2. Jan")
	}
	return dateNames.ReplaceAllStringFunc(at.Format(layout), func(name string) string { return l.Say(name) })
}
