// Package regional has what depends on a user's region: time zones with their days, and locales, which determine the
// format of numbers and dates.
package regional

import (
	_ "embed"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for machines without a database of time zones
)

// MaxZone is the largest length of a time zone's name.
const MaxZone = 64

// zones caches loaded zones by name; their number is limited by the database.
var zones sync.Map

//go:embed zones.txt
var zoneNames string

// Zones are the names of time zones to choose from: one for each place where clocks have differed since 1970, and
// UTC. Zone also finds the older names that the database keeps, such as US/Eastern. The list is our own, because Go
// finds zones by their names and lists none, and machines have different ones.
func Zones() []string { return strings.Fields(zoneNames) }

// ZoneOf is the name of the zone that people mean by its name or its city's, in any case and with spaces: "new york"
// is America/New_York. Any other text stays as it is.
func ZoneOf(said string) string {
	place := strings.ReplaceAll(strings.TrimSpace(said), " ", "_")
	for _, name := range Zones() {
		if city := name[strings.LastIndexByte(name, '/')+1:]; strings.EqualFold(name, place) || strings.EqualFold(city, place) {
			return name
		}
	}
	return said
}

// Zone finds a time zone by its name in the IANA database, such as Europe/Paris; "" is UTC. It reports whether there
// is one.
func Zone(name string) (*time.Location, bool) {
	switch {
	case name == "" || name == "UTC":
		return time.UTC, true
	case name == "Local" || strings.ContainsAny(name, "\\\x00"):
		return nil, false
	}
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location), true
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	zones.Store(name, zone)
	return zone, true
}

// Day is the first moment of a day in a zone. That is midnight, unless the clocks are set forward at midnight, so
// that the day has none; if they are set back at midnight, it is the first of the two. Of a day that the zone never
// had, because it crossed the date line, it is the first moment of the next one. Months and days out of range are
// normalised, as in time.Date.
func Day(year int, month time.Month, day int, zone *time.Location) time.Time {
	at := time.Date(year, month, day, 0, 0, 0, 0, zone)
	local := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
	// the clocks jump over it
	if midnight := time.Date(year, month, day, 0, 0, 0, 0, time.UTC); !local.Equal(midnight) {
		change, next := at.ZoneBounds()
		if local.Before(midnight) {
			return next
		}
		return change
	}
	change, _ := at.ZoneBounds()
	if change.IsZero() {
		return at
	}
	_, before := change.Add(-time.Second).Zone()
	_, now := at.Zone()
	if first := at.Add(time.Duration(now-before) * time.Second); before > now && first.Before(change) {
		return first
	}
	return at
}
