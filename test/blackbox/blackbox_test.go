package blackbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/test/blackbox/harness"
	"entrepot/test/blackbox/script"
)

// TestScripts plays every script on both engines. Scripts share one server per engine, each with an account
// of its own, unless they say "server own".
func TestScripts(t *testing.T) {
	scripts, err := script.Load("scripts")
	if err != nil {
		t.Fatal(err)
	}
	harness.Each(t, func(t *testing.T, engine harness.Engine) {
		shared := harness.Start(t, engine, harness.Options{})
		description := readDocument(t, shared)
		t.Run("scripts", func(t *testing.T) { // a group: the server outlives its parallel members
			for _, s := range scripts {
				t.Run(s.Name, func(t *testing.T) {
					t.Parallel()
					play(t, shared, engine, s, description)
				})
			}
		})
		t.Run("document", description.report)
	})
}

// play runs one script and then holds every delivery against the event log.
func play(t *testing.T, shared *harness.Server, engine harness.Engine, s *script.Script, description *document) {
	server := shared
	var account *harness.Account
	if _, own := s.Options["server"]; own {
		_, strict := s.Options["strict"]
		server = harness.Start(t, engine, harness.Options{
			Plan: s.Options["plan"], Limits: s.Options["limits"] == "on", Retries: s.Options["retries"], Strict: strict,
		})
		account = server.FirstAccount(t)
	} else {
		account = server.NewAccount(t, "enterprise")
	}
	var inbox *harness.Inbox
	if _, without := s.Options["without-deliveries"]; !without {
		inbox = receiver.Inbox()
		account.Endpoint(t, inbox)
	}
	for _, failure := range script.Run(s, fixture(t, server, account, description)) {
		t.Errorf("%s.txt:%d: %s\n      %s", s.Name, failure.Line, failure.Case, failure.Text)
	}
	if inbox != nil {
		_, scrubs := s.Options["scrubs-log"]
		if err := everyEventDelivered(account, inbox, !scrubs); err != nil {
			t.Error(err)
		}
	}
}

// fixture is what a script sees of a server through one account.
func fixture(t *testing.T, server *harness.Server, account *harness.Account, description *document) *script.Fixture {
	return &script.Fixture{
		Base: server.Base,
		Who: func(name string) (harness.Client, error) {
			switch name {
			case "key":
				return account.Key, nil
			case "owner":
				return account.Owner, nil
			case "viewer":
				return account.Viewer(t), nil
			case "nobody":
				return account.Nobody, nil
			case "other":
				return server.Other(t).Key, nil
			case "other-owner":
				return server.Other(t).Owner, nil
			}
			return harness.Client{}, fmt.Errorf("as %s: nobody of that name", name)
		},
		Log: account.Log, Receiver: receiver, Command: server.Command,
		Check: func(answer harness.Answer) []string {
			description.hold(answer)
			return script.Always(answer)
		},
		Restart: func() error {
			if err := server.Stop(); err != nil {
				return err
			}
			return server.TryLaunch()
		},
		Vars: harness.Vars{
			"base": server.Base, "email": account.Email, "password": account.Password,
			"key": account.Key.Key, "token": account.Owner.Bearer, "platform": platformURL,
		},
	}
}

// everyEventDelivered holds the inbox of an endpoint that wants every event against the event log: each event
// came, at least once, with the data the log has, well formed and rightly signed; and nothing else came.
func everyEventDelivered(account *harness.Account, inbox *harness.Inbox, sameData bool) error {
	events, err := account.Log("")
	if err != nil {
		return err
	}
	var last error
	_ = harness.Eventually(2*time.Minute, func() error {
		last = compareDeliveries(events, inbox, sameData)
		return last
	})
	if last != nil {
		return last
	}
	var faults []string
	for _, delivery := range inbox.Deliveries() {
		for _, fault := range inbox.Check(delivery) {
			faults = append(faults, fmt.Sprintf("delivery of %s %s: %s", delivery.Kind(), delivery.EventID(), fault))
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("%d faults in deliveries, the first: %s", len(faults), strings.Join(faults[:min(5, len(faults))], "\n      "))
	}
	return nil
}

func compareDeliveries(events []harness.Event, inbox *harness.Inbox, sameData bool) error {
	came := map[string]harness.Delivery{}
	for _, delivery := range inbox.Deliveries() {
		came[delivery.EventID()] = delivery
	}
	known := map[string]bool{}
	var missing []string
	for _, event := range events {
		known[event.ID] = true
		delivery, ok := came[event.ID]
		if !ok {
			missing = append(missing, event.Kind+" "+event.ID)
			continue
		}
		if !sameData {
			continue
		}
		if faults := harness.MatchValue(event.Data, harness.At(delivery.Value(), "data"), harness.Vars{}); len(faults) > 0 {
			return fmt.Errorf("event %s %s was delivered with other data than the log has: %s", event.Kind, event.ID, strings.Join(faults, "; "))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%d of %d events in the log were never delivered: %s", len(missing), len(events),
			strings.Join(missing[:min(5, len(missing))], ", "))
	}
	for id, delivery := range came {
		if !known[id] && !strings.HasPrefix(delivery.Kind(), "channel.sync_") {
			return fmt.Errorf("delivered event %s %s is not in the log", delivery.Kind(), id)
		}
	}
	return nil
}
