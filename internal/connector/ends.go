package connector

import "time"

// A credential that ends has two companions: when it was entered, and until when the platform accepts it, if its
// answers say so.
const (
	sinceSuffix = "Since"
	untilSuffix = "Until"
)

// UntilOf is the name of the credential that says until when another one lasts.
func UntilOf(field string) string { return field + untilSuffix }

// Until is a time as credentials keep it.
func Until(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// Entered notes when the credentials that end were entered, in credentials that replace others. The platform's
// statements about the old ones do not apply to them.
func (p Profile) Entered(before, c Credentials, now time.Time) {
	for _, f := range p.Fields {
		if c[f.Name] == before[f.Name] {
			continue
		}
		if c[UntilOf(f.Name)] == before[UntilOf(f.Name)] {
			delete(c, UntilOf(f.Name))
		}
		if since := f.Name + sinceSuffix; f.Lasts > 0 && c[since] == before[since] {
			c[since] = Until(now)
		}
	}
}

// Ends returns when the first of the credentials ends that only the merchant can replace, if known, and which one it
// is; the zero time if none does.
func (p Profile) Ends(c Credentials) (at time.Time, of Field) {
	for _, f := range p.Fields {
		if f.Renew == "" {
			continue
		}
		end, err := time.Parse(time.RFC3339, c[UntilOf(f.Name)])
		if err != nil && f.Lasts > 0 {
			if end, err = time.Parse(time.RFC3339, c[f.Name+sinceSuffix]); err == nil {
				end = end.Add(f.Lasts)
			}
		}
		if err == nil && (at.IsZero() || end.Before(at)) {
			at, of = end, f
		}
	}
	return at, of
}
