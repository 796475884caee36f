package netguard

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxURL is the largest length of a URL.
const maxURL = 2048

// URL checks a URL without resolving it: https (http with Dev), a host, no credentials, no refused address. Errors are
// Refused.
func (g *Guard) URL(text string) (*url.URL, error) {
	if len(text) > maxURL {
		return nil, refuse("must be at most %d characters long", maxURL)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Opaque != "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }):
		return nil, refuse("is not a valid URL")
	case u.Scheme != "https" && !(g.Dev && u.Scheme == "http"):
		return nil, refuse("must start with https://")
	case u.User != nil || strings.Contains(u.Host, "@"):
		return nil, refuse("must not contain a user or password")
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return nil, refuse("has no valid port")
		}
	}
	host, err := plainHost(u.Hostname())
	if err != nil {
		return nil, err
	}
	if g.Allow.Host(host) {
		return u, nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if reason := g.reason(addr); reason != "" {
			return nil, refuse("%s is %s", host, reason)
		}
	} else if !g.Dev && (host == "localhost" || strings.HasSuffix(host, ".localhost")) {
		return nil, refuse("%s is a loopback address", host)
	} else if slices.Contains(metadataNames, host) {
		return nil, refuse("%s is a cloud metadata address", host)
	}
	return u, nil
}

// metadataNames are the names of clouds' metadata services; outside of that cloud they do not resolve.
var metadataNames = []string{"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}

// vetTime limits how long a request waits for a name to resolve.
const vetTime = 2 * time.Second

// Vet checks a URL before it is stored: the text, and its present addresses. A name that does not resolve now passes,
// because it is resolved again at every attempt. Errors are Refused.
func (g *Guard) Vet(ctx context.Context, text string) error {
	u, err := g.URL(text)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, vetTime)
	defer cancel()
	if _, err := g.Resolve(ctx, u.Hostname()); IsRefused(err) {
		return err
	}
	return nil
}
