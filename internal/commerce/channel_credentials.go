package commerce

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"entrepot/internal/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/netguard"
)

// CheckCredentials is the 400 that names all errors of a platform's credentials, or nil. Custom channels have none.
// notText are those that were sent as something other than text.
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

// CheckAddresses is the 400 that names the addresses of a platform's channel that the service must not call, given as
// credentials or as settings, or nil (interface §6.2). It resolves their hosts, so call it before the transaction.
// CheckCredentials reports credentials that are no addresses.
func (s *Service) CheckAddresses(ctx context.Context, platform string, draft ChannelDraft) error {
	known, ok := s.Connectors.ByPlatform(platform)
	if !ok {
		return nil
	}
	var settings map[string]*json.RawMessage // others than those looked at may be what no Go type holds, such as 1e400
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
		// A setting replaces a credential of its name that is not given.
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

// enteredCredentials are a channel's stored credentials overwritten by those that a merchant enters. An access token that was issued for
// others goes: it may be another account's, and a connection test with it would say nothing of the new ones.
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
