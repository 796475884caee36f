package commerce

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"time"

	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/netguard"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
)

// CheckCredentials is the 400 that names all errors of a platform's credentials, or nil. Custom channels have none.
// notText are credentials that were sent and are not text.
func (s *Service) CheckCredentials(platform string, c connector.Credentials, notText ...string) error {
	known, ok := s.Connectors.ByPlatform(platform)
	if !ok {
		return nil
	}
	if errs := known.Profile().Check(c, s.Dev, notText...); len(errs) > 0 {
		return apperr.Validation(errs)
	}
	return nil
}

// CheckAddresses is the 400 that names addresses of a platform's channel that the service must not call, given as
// credentials or as settings, or nil (interface §6.2). It resolves their hosts, so call it before the transaction.
// CheckCredentials reports credentials that are no addresses.
func (s *Service) CheckAddresses(ctx context.Context, platform string, draft ChannelDraft) error {
	known, ok := s.Connectors.ByPlatform(platform)
	if !ok {
		return nil
	}
	// settings that are not read here may be beyond every Go type, such as 1e400
	var settings map[string]*json.RawMessage
	if draft.Settings != nil {
		if err := json.Unmarshal([]byte(*draft.Settings), &settings); err != nil {
			return err // it was parsed as JSON before
		}
	}
	var errs []apperr.Detail
	for _, f := range known.Profile().Known() {
		if f.Form != connector.Target {
			continue
		}
		// A setting replaces a credential of the same name that is not given.
		if setting := settings[f.Name]; setting != nil {
			var text string
			if json.Unmarshal(*setting, &text) != nil {
				errs = append(errs, apperr.Detail{Path: "settings." + f.Name, Message: "must be a string"})
			} else if problem := s.refused(ctx, text); problem != "" {
				errs = append(errs, apperr.Detail{Path: "settings." + f.Name, Message: problem})
			}
		}
		if text := draft.Credentials[f.Name]; text != "" && f.Accepts(text, s.Dev) {
			if problem := s.refused(ctx, text); problem != "" {
				errs = append(errs, apperr.Detail{Path: "credentials." + f.Name, Message: problem})
			}
		}
	}
	if len(errs) > 0 {
		return apperr.Validation(errs)
	}
	return nil
}

// refused says why the service must not call a URL, "" if it may.
func (s *Service) refused(ctx context.Context, text string) string {
	var refused *netguard.Refused
	if errors.As(s.guard().Vet(ctx, text), &refused) {
		return refused.Reason
	}
	return ""
}

// guard decides which addresses the service may connect to.
func (s *Service) guard() *netguard.Guard {
	if s.Guard != nil {
		return s.Guard
	}
	return &netguard.Guard{Dev: s.Dev}
}

// Opened is a channel in the form that connectors take, with decrypted credentials.
func (s *Service) Opened(c channels.Channel) (connector.Channel, error) {
	out := connector.Channel{ID: string(c.ID), Platform: c.Platform, Credentials: connector.Credentials{}, Settings: map[string]string{}}
	if c.Credentials != "" {
		text, err := s.Key.Decrypt(c.Credentials, channels.Place(c.Tenant, c.ID))
		if err != nil {
			return out, err
		}
		if err := json.Unmarshal([]byte(text), &out.Credentials); err != nil {
			return out, err
		}
	}
	var settings map[string]json.RawMessage
	if err := json.Unmarshal([]byte(c.Settings), &settings); err != nil {
		return out, err
	}
	for name, value := range settings {
		var text string
		switch value[0] {
		case '"':
			if err := json.Unmarshal(value, &text); err != nil {
				return out, err
			}
			out.Settings[name] = text
		case '{', '[', 'n':
		default: // a number, true or false
			out.Settings[name] = string(value)
		}
	}
	return out, nil
}

// mergedCredentials are a channel's stored credentials overwritten by those of a change.
func (s *Service) mergedCredentials(c channels.Channel, change connector.Credentials) (connector.Credentials, error) {
	opened, err := s.Opened(c)
	if err != nil {
		return nil, err
	}
	for name, value := range change {
		if opened.Credentials[name] = value; value == "" {
			delete(opened.Credentials, name)
		}
	}
	return opened.Credentials, nil
}

// enteredCredentials are a channel's stored credentials overwritten by those that a merchant enters. An access token
// that was issued for the old ones is dropped: it may be another account's, and a connection test with it would say
// nothing of the new ones.
func (s *Service) enteredCredentials(c channels.Channel, change connector.Credentials, now time.Time) (connector.Credentials, error) {
	opened, err := s.Opened(c)
	if err != nil {
		return nil, err
	}
	all, err := s.mergedCredentials(c, change)
	known, ok := s.Connectors.ByPlatform(c.Platform)
	if _, given := change[connector.TokenField]; err == nil && ok && !given && !maps.Equal(all, opened.Credentials) {
		known.Profile().DropToken(all)
	}
	if err == nil && ok {
		known.Profile().Entered(opened.Credentials, all, now)
	}
	return all, err
}

// moved prepares a change that points a channel at another host; now is the channel with its new settings. Secrets
// that were entered for the old host are not sent to the new one. It returns the old and the new hosts for the audit
// log, nil if they are the same. Errors: Invalid with the code credentials_needed, which names the secrets that must
// come along.
func (s *Service) moved(old, now channels.Channel, draft *ChannelDraft) ([]audit.Change, error) {
	known, ok := s.Connectors.ByPlatform(old.Platform)
	if !ok || draft.Credentials == nil && old.Settings == now.Settings {
		return nil, nil
	}
	profile := known.Profile()
	was, err := s.Opened(old)
	if err != nil {
		return nil, err
	}
	is, err := s.Opened(now)
	if err != nil {
		return nil, err
	}
	maps.Copy(is.Credentials, draft.Credentials)
	from, to := profile.Hosts(was), profile.Hosts(is)
	if from == to {
		return nil, nil
	}
	lacking, gone := profile.Moved(was, is, draft.Credentials)
	if len(lacking) > 0 {
		err := apperr.New(apperr.Invalid, "credentials_needed", "the credentials were entered for %s and are not sent to %s: enter %s again",
			hostWords(old.Platform, from), hostWords(old.Platform, to), strings.Join(lacking, ", "))
		for _, name := range lacking {
			err.Details = append(err.Details, apperr.Detail{Path: "credentials." + name, Message: "must be entered again for another host"})
		}
		return nil, err
	}
	if len(gone) > 0 {
		all := maps.Clone(draft.Credentials)
		if all == nil {
			all = connector.Credentials{}
		}
		for _, name := range gone {
			all[name] = ""
		}
		draft.Credentials = all
	}
	return []audit.Change{{Field: "host", From: hostWords(old.Platform, from), To: hostWords(old.Platform, to)}}, nil
}

// hostWords names a channel's hosts (connector.Profile.Hosts).
func hostWords(platform string, hosts [2]string) string {
	words := cmp.Or(hosts[0], "the address of "+channels.PlatformName(platform))
	if hosts[1] != "" {
		words += ", notified at " + hosts[1]
	}
	return words
}
