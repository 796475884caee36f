package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"entrepot/internal/certificates"
	"entrepot/internal/db"
	"entrepot/internal/server"
)

// soonEnds is the time before a certificate's end at which it should have been renewed.
const soonEnds = 14 * 24 * time.Hour

// checkCertificate checks the certificate of the service's own TLS, at a time: end, key, chain and name.
func checkCertificate(certFile, keyFile, public string, now time.Time) finding {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return finding{"certificate", "error", err.Error() + ": tls-cert and tls-key must name files that belong together and that the user of " +
			"the service can read"}
	}
	ends := pair.Leaf.NotAfter.UTC().Format("2 January 2006")
	switch left := pair.Leaf.NotAfter.Sub(now); {
	case left <= 0:
		return finding{"certificate", "error", "ended on " + ends + ": renew it, no restart is needed"}
	case pair.Leaf.NotBefore.After(now):
		return finding{"certificate", "error", "begins on " + pair.Leaf.NotBefore.UTC().Format("2 January 2006") + ": this machine's clock is " +
			"behind (run NTP), or use the certificate before it"}
	case left < soonEnds:
		return finding{"certificate", "warning", "ends on " + ends + ": check that its renewal runs"}
	}
	if u, err := url.Parse(public); err == nil && u.Hostname() != "" && pair.Leaf.VerifyHostname(u.Hostname()) != nil {
		return finding{"certificate", "warning", "is not for " + u.Hostname() + " of public-url: clients will refuse it"}
	}
	if !known(pair, now) {
		return finding{"certificate", "warning", "its chain leads to no authority that this machine knows: put the certificates between it and " +
			"the authority behind it in " + certFile + "; if the authority is your own, its clients must know it"}
	}
	if info, err := os.Stat(keyFile); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
		return finding{"certificate", "warning", fmt.Sprintf("its key can be read by every user of this machine (mode %04o): chmod 640 %s",
			info.Mode().Perm(), keyFile)}
	}
	return finding{"certificate", "ok", "ends on " + ends}
}

// known reports whether a certificate's chain leads to an authority that this machine knows.
func known(pair tls.Certificate, now time.Time) bool {
	between := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		if above, err := x509.ParseCertificate(der); err == nil {
			between.AddCert(above)
		}
	}
	_, err := pair.Leaf.Verify(x509.VerifyOptions{Intermediates: between, CurrentTime: now})
	return err == nil
}

// checkACME checks the settings of certificates that are ordered, as far as that is possible without the authority, and
// the certificates that the store has.
func checkACME(ctx context.Context, c server.Config, now time.Time) (found []finding) {
	for _, domain := range c.ACME.Domains {
		found = append(found, checkDomain(ctx, domain))
	}
	if _, port, _ := net.SplitHostPort(c.Addr); port != "443" && port != "https" {
		found = append(found, finding{"acme", "warning", "clients and the authority come to port 443, the service listens on " + c.Addr +
			": forward port 443 to it, or set addr to :443"})
	}
	switch {
	case c.ACME.HTTPAddr == "":
		found = append(found, finding{"acme", "ok", "the authority looks at port 443 only (acme-http-addr is off)"})
	default:
		if at := checkPort(ctx, c.ACME.HTTPAddr); at.Verdict != "ok" {
			found = append(found, finding{"acme", "warning", at.Message + "; challenges over http need acme-http-addr"})
		}
		if _, port, _ := net.SplitHostPort(c.ACME.HTTPAddr); port != "80" && port != "http" {
			found = append(found, finding{"acme", "warning", "the authority comes to port 80: forward it to " + c.ACME.HTTPAddr})
		}
	}
	if text, err := os.ReadFile(c.ACME.CAFile); c.ACME.CAFile != "" && (err != nil || !x509.NewCertPool().AppendCertsFromPEM(text)) {
		found = append(found, finding{"acme", "error", "acme-ca must name a file of certificates in PEM that the service can read, not " +
			c.ACME.CAFile})
	}
	return append(found, checkIssued(ctx, c, now)...)
}

// checkDomain checks that a name of acme-domain resolves.
func checkDomain(ctx context.Context, domain string) finding {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupHost(ctx, domain)
	if err != nil {
		return finding{"acme", "warning", domain + " does not resolve here: " + err.Error() + ": give it an A or AAAA record that leads to this " +
			"machine"}
	}
	return finding{"acme", "ok", domain + " leads to " + strings.Join(addresses, ", ") + ": that must be this machine, or what forwards to it"}
}

// checkIssued checks the certificates that the store has.
func checkIssued(ctx context.Context, c server.Config, now time.Time) (found []finding) {
	key, there, err := masterKeyOf(c.StoreConfig)
	if err != nil || !there {
		return nil // the master key's own check says why
	}
	store, err := db.OpenExisting(ctx, db.Config{URL: c.URL, Dir: c.Dir})
	if err != nil {
		return nil // the store's own check says why
	}
	defer store.Close()
	if current, err := store.Current(ctx); err != nil || !current {
		return nil
	}
	for _, domain := range c.ACME.Domains {
		pair, err := server.IssuedCertificate(ctx, store, key, domain, c.ACME.Directory)
		switch {
		case err != nil:
			found = append(found, finding{"certificate", "error", "of " + domain + " cannot be read: " + err.Error()})
		case pair == nil:
			found = append(found, finding{"certificate", "warning", "there is none for " + domain + " yet: the running service orders it, its log " +
				"says what keeps it from that"})
		case pair.Leaf.NotAfter.Before(now):
			found = append(found, finding{"certificate", "error", "of " + domain + " ended on " + pair.Leaf.NotAfter.UTC().Format("2 January 2006") +
				": the log of the service says why it was not renewed"})
		case certificates.Renewal(pair.Leaf).Add(24 * time.Hour).Before(now):
			found = append(found, finding{"certificate", "warning", "of " + domain + " ends on " + pair.Leaf.NotAfter.UTC().Format("2 January 2006") +
				" and should have been renewed: the log of the service says why it was not"})
		default:
			found = append(found, finding{"certificate", "ok", "of " + domain + " ends on " + pair.Leaf.NotAfter.UTC().Format("2 January 2006")})
		}
	}
	return found
}

// checkLog checks the settings of the log.
func checkLog(level, access string) finding {
	switch {
	case level == "debug":
		return finding{"log", "warning", "log-level is debug, which writes a line for each attempt of a delivery: right while a problem is looked for"}
	case level == "error" || level == "warn":
		return finding{"log", "warning", "log-level is " + level + ": requests and the start leave no line; info is usual, with access-log = off " +
			"for fewer lines"}
	case access == "off":
		return finding{"log", "warning", "access-log is off: a request that was refused leaves no line; a share such as 0.01 keeps some"}
	}
	return finding{"log", "ok", "level " + level + ", a line for requests: " + access}
}
