package crash

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
	"entrepot/test/blackbox/harness"
)

var (
	rounds = flag.Int("rounds", 2, "how often PostgreSQL's primary is killed")
	within = flag.Duration("within", 5*time.Minute, "how soon after a promotion every node answers and webhooks come again")
	away   = flag.Duration("away", 3*time.Second, "how long there is no primary, at most")
)

// shop is one run: the databases, the nodes, and what clients and endpoints know.
type shop struct {
	t       *testing.T
	pair    *dbtest.Pair
	nodes   []*harness.Server
	account *harness.Account
	inboxes []*harness.Inbox // of a plain and an ordered endpoint

	answered    []atomic.Int64 // of each node: when a request was sent that it has stored, in nanoseconds since 1970
	unavailable atomic.Int64   // answers 503
	unknown     atomic.Int64   // of them, outcome_unknown
}

func open(t *testing.T, pair *dbtest.Pair, address string) *shop {
	t.Helper()
	s := &shop{t: t, pair: pair, answered: make([]atomic.Int64, 2)}
	first := harness.Start(t, harness.Postgres, harness.Options{Database: address, Retries: "300ms,300ms,1s,1s,1s"})
	s.nodes = []*harness.Server{first, first.Peer(t)}
	s.account = first.FirstAccount(t)
	receiver := harness.NewReceiver()
	t.Cleanup(receiver.Close)
	for _, ordered := range []bool{false, true} {
		inbox := receiver.Inbox()
		made, err := s.account.Key.Call(http.MethodPost, "/api/v1/developer/webhooks",
			map[string]any{"url": inbox.URL, "events": []string{"*"}, "ordered": ordered})
		if err != nil || made.Status != http.StatusCreated {
			t.Fatalf("%v %s", err, made)
		}
		inbox.Secret(made.Text("data", "secret"))
		s.inboxes = append(s.inboxes, inbox)
	}
	seedCatalog(t, s.account)
	return s
}

// on is the account's key at one of the nodes.
func (s *shop) on(node int) harness.Client {
	client := s.account.Key
	client.Base = s.nodes[node%len(s.nodes)].Base
	return client
}

// TestPrimaryFails lets clients write to two nodes whose PostgreSQL primary is killed again and again: its synchronous standby is promoted,
// and the killed server becomes the standby of the new primary. The nodes are not notified: their --database names both. It kills the primary under load: nothing acknowledged is lost, nothing is stored twice, every event is
// stored and was delivered, meanwhile every answer is 503 with Retry-After, and the nodes recover without help.
func TestPrimaryFails(t *testing.T) {
	dbtest.Long(t, "PostgreSQL is started again and again")
	t.Parallel()
	pair := dbtest.NewPair(t)
	s := open(t, pair, pair.URL()+"&target_session_attrs=read-write")
	stop := make(chan struct{})
	var running sync.WaitGroup
	workers := newWorkers(*clients, s.account.Key)
	for _, w := range workers {
		w.client, w.heard = s.on(w.number), func(sent time.Time, answer harness.Answer, err error) { s.heard(w.number%2, sent, answer, err) }
		running.Go(func() { w.work(stop) })
	}
	feed := &walker{shop: s, seen: map[string]string{}}
	running.Go(func() { harness.Repeat(stop, func() { feed.step() }) })
	t.Logf("seed %d", *seed)
	moments := rand.New(rand.NewPCG(*seed, 0))
	for round := range *rounds {
		s.awaitWork(time.Now()) // the kill comes in the midst of it
		time.Sleep(time.Duration(moments.Int64N(int64(time.Second))))
		killed := time.Now()
		s.pair.Kill()
		time.Sleep(time.Duration(moments.Int64N(int64(*away) + 1)))
		s.pair.Promote()
		promoted := time.Now()
		node, webhook := s.awaitWork(promoted)
		t.Logf("round %d: promoted %s after the kill; the last node stored again %s later, webhooks came %s later", round+1,
			promoted.Sub(killed).Round(time.Millisecond), node.Round(time.Millisecond), webhook.Round(time.Millisecond))
		if max(node, webhook) > *within {
			t.Errorf("round %d: it took longer than %s", round+1, *within)
		}
		s.pair.Rebuild()
	}
	s.awaitWork(time.Now())
	close(stop)
	running.Wait()
	settleAll(workers)
	audit(t, fmt.Sprintf("%d fail-overs, %d answers 503 (%d outcome_unknown)", *rounds, s.unavailable.Load(), s.unknown.Load()), s.nodes[1],
		s.account, s.inboxes[0], workers)
	late := auditOrder(t, s.account, s.inboxes[1])
	t.Logf("the feed missed %d changes; %d deliveries came again after a later one", feed.missed(), late)
}

// heard holds an answer against the interface: while there is no primary it is 503 with Retry-After, and never none.
func (s *shop) heard(node int, sent time.Time, answer harness.Answer, err error) {
	switch {
	case err != nil:
		s.t.Errorf("no answer: %v", err)
	case answer.Status == http.StatusServiceUnavailable:
		s.away(answer)
	case answer.Status/100 == 2:
		s.answered[node].Store(sent.UnixNano())
	}
}

// away holds a 503 against the interface.
func (s *shop) away(answer harness.Answer) {
	s.unavailable.Add(1)
	switch code := answer.Text("code"); {
	case answer.Header.Get("Retry-After") == "":
		s.t.Errorf("no Retry-After: %s", answer)
	case code == "outcome_unknown":
		s.unknown.Add(1)
	case code != "unavailable" && code != "busy":
		s.t.Errorf("another code: %s", answer)
	}
}

// awaitWork waits until every node has stored something after a time, and every endpoint got an event that happened after it; it reports
// how long either took.
func (s *shop) awaitWork(since time.Time) (node, webhook time.Duration) {
	s.t.Helper()
	for node == 0 || webhook == 0 {
		if time.Since(since) > 5*time.Minute {
			s.t.Fatalf("five minutes later: stored after %s, webhooks after %s\n%s", node, webhook, s.nodes[0].LogTail())
		}
		time.Sleep(5 * time.Millisecond)
		if node == 0 && s.stored(since) {
			node = time.Since(since)
		}
		if webhook == 0 && s.delivered(since) {
			webhook = time.Since(since)
		}
	}
	return node, webhook
}

// stored reports whether every node has stored something that was asked for after a time.
func (s *shop) stored(since time.Time) bool {
	for i := range s.answered {
		if s.answered[i].Load() < since.UnixNano() {
			return false
		}
	}
	return true
}

// delivered reports whether every endpoint got an event that happened after a time.
func (s *shop) delivered(since time.Time) bool {
	for _, inbox := range s.inboxes {
		came := inbox.Deliveries()
		if len(came) == 0 || came[len(came)-1].At.Before(since) {
			return false
		}
		text, _ := harness.At(came[len(came)-1].Value(), "timestamp").(string)
		if happened, err := time.Parse(time.RFC3339, text); err != nil || happened.Before(since) {
			return false
		}
	}
	return true
}
