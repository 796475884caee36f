package parallel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"entrepot/test/blackbox/harness"
)

// operation is one writing request of the API.
type operation struct {
	name   string // method and route
	weight int
	run    func(*client) *request // nil when there is nothing yet to do it to
	may    []int                  // refusals beyond the usual ones that the state explains
	match  bool                   // takes If-Match with the tag of what it changes
}

// request is one instance of an operation.
type request struct {
	method, path string
	body         any
	login        bool                 // with the owner's access token: no API key may do it
	sure         bool                 // whatever others do meanwhile, it is done
	may          []int                // as operation.may, for this request alone
	done         func(harness.Answer) // learns from the 2xx
	effects      func(*client) int    // how often its effect is there; -1 if that cannot be determined
}

// client sends operations at random.
type client struct {
	number int
	shop   *shop
	random *rand.Rand
	sent   int
	alone  bool        // this operation's records are its own: nobody else knows them
	learnt [][2]string // of an operation alone: kind and path, made known when it is over
}

// usual are the refusals that a request at random may meet on a state that others change.
var usual = []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnprocessableEntity}

// choose returns the operations whose name matches only and not without; "" is no such condition.
func choose(only, without string) (chosen []*operation) {
	matches := func(text, name string) bool { return regexp.MustCompile(text).MatchString(name) }
	for i := range operations {
		if name := operations[i].name; matches(only, name) && (without == "" || !matches(without, name)) {
			chosen = append(chosen, &operations[i])
		}
	}
	return chosen
}

// work does operations until stop is closed.
func (c *client) work(chosen []*operation, first <-chan *operation, stop <-chan struct{}) {
	sum := 0
	for _, op := range chosen {
		sum += op.weight
	}
	for {
		select {
		case <-stop:
			return
		default:
		}
		op, is := <-first
		if !is {
			at := c.random.IntN(sum)
			for _, op = range chosen {
				if at -= op.weight; at < 0 {
					break
				}
			}
		}
		c.step(op)
	}
}

// way is how a client sends a request.
type way int

const (
	plain       way = iota
	again           // under a key, and once more after the answer
	hungUp          // under a key, gone before the answer, and then once more
	atOnce          // under one key, two or three times at the same moment
	underOneTag     // under the ETag that was read before, three times at the same moment
)

// ways are the shares of the two kinds of operations: on records that all clients know, and on one that no other
// client knows, whose outcome is certain.
var ways = struct{ known, alone []way }{
	[]way{plain, plain, plain, plain, again, atOnce},
	[]way{again, hungUp, atOnce, atOnce, underOneTag},
}

// step does one operation in one of the ways.
func (c *client) step(op *operation) {
	shares := ways.known
	if c.alone = c.chance(40); c.alone {
		shares = ways.alone
	}
	chosen := shares[c.random.IntN(len(shares))]
	if r := op.run(c); r != nil {
		switch {
		case r.method == http.MethodGet || chosen == plain:
			c.once(op, r, c.random.IntN(2), nil)
		case chosen == underOneTag && op.match:
			c.underOneTag(op, r)
		case chosen == again:
			c.again(op, r)
		case chosen == hungUp && r.method != http.MethodDelete:
			c.hungUp(op, r)
		default:
			c.atOnce(op, r)
		}
	}
	c.alone = false
	for _, l := range c.learnt {
		c.shop.known.add(l[0], l[1])
	}
	c.learnt = c.learnt[:0]
}

// once sends the request to one node.
func (c *client) once(op *operation, r *request, node int, header http.Header) (harness.Answer, bool) {
	answer, good := c.deliver(op, r, node, header)
	if good && r.done != nil {
		r.done(answer)
	}
	return answer, good
}

func (c *client) deliver(op *operation, r *request, node int, header http.Header) (harness.Answer, bool) {
	credential := c.shop.account.Key
	if r.login {
		credential = c.shop.account.Owner
	}
	request := harness.Request{Method: r.method, Path: r.path, Header: header}
	if r.body != nil {
		request.Body = text(r.body)
	}
	answer, good := c.shop.send(op.name, c.shop.on(node, credential), request)
	refused := answer.Status/100 == 4
	if refused && !slices.Contains(usual, answer.Status) && !slices.Contains(slices.Concat(op.may, r.may), answer.Status) {
		c.shop.defect("unexpected refusal of "+op.name, "%s\n    %s", answer, harness.Short(request.Body))
	}
	if answer.Status == http.StatusNotFound && c.alone && r.method != http.MethodDelete {
		c.shop.defect("unknown though it was just made", "%s at node %d", answer, node%len(c.shop.nodes))
	}
	return answer, good
}

// get reads from one of the nodes.
func (c *client) get(name, path string) (harness.Answer, bool) {
	return c.shop.send(name, c.shop.on(c.random.IntN(2), c.shop.account.Key), harness.Request{Method: http.MethodGet, Path: path})
}

// key is a new Idempotency-Key.
func (c *client) key() http.Header {
	c.sent++
	return http.Header{"Idempotency-Key": {fmt.Sprintf("c%d-%d", c.number, c.sent)}}
}

// again repeats a request under its key on the other node: the same bytes, nothing done.
func (c *client) again(op *operation, r *request) {
	header, node := c.key(), c.random.IntN(2)
	first, good := c.once(op, r, node, header)
	if !good || r.method == http.MethodDelete || !(c.alone || r.sure) {
		return
	}
	second, _ := c.deliver(op, r, node+1, header)
	if second.Status == 0 || second.Status >= 500 {
		return // counted already
	}
	if !c.replays(first, second) || second.Header.Get("Idempotent-Replay") != "true" {
		c.shop.defect("wrong replay", "%s, repeated under its key:\n    first %s\n    then  %s", op.name, first, second)
	}
	c.effects(op, r)
}

// hungUp sends a request, hangs up within moments and asks again under the same key: done once, whether the first one arrived,
// was given up or is still running.
func (c *client) hungUp(op *operation, r *request) {
	header := c.key()
	node := c.shop.on(c.random.IntN(2), harness.Client{})
	first, err := http.NewRequest(r.method, node.Base+r.path, bytes.NewReader(text(r.body)))
	if err != nil {
		panic(err)
	}
	first.Header = header.Clone()
	first.Header.Set("Content-Type", "application/json")
	if r.login {
		first.Header.Set("Authorization", "Bearer "+c.shop.account.Owner.Bearer)
	} else {
		first.Header.Set("X-API-Key", c.shop.account.Key.Key)
	}
	impatient := http.Client{Timeout: time.Duration(1+c.random.IntN(60)) * time.Millisecond}
	if answer, err := impatient.Do(first); err == nil {
		answer.Body.Close()
	}
	answer, good := c.once(op, r, c.random.IntN(2), header)
	if good {
		c.effects(op, r)
	} else if r.sure && answer.Status/100 == 4 {
		c.shop.defect("refused after hanging up", "%s", answer)
	}
}

// atOnce sends a request two or three times at the same moment, under one key, to all nodes.
func (c *client) atOnce(op *operation, r *request) {
	if r.method == http.MethodDelete { // no key: one of them deletes, the others find nothing
		answers := c.race(op, r, 2, nil)
		if n := len(good(answers)); n > 1 {
			c.shop.defect("deleted twice", "%s: %d of %d answered 2xx", op.name, n, len(answers))
		} else if n == 1 && r.done != nil {
			r.done(good(answers)[0])
		}
		return
	}
	answers := c.race(op, r, 2+c.random.IntN(2), c.key())
	won := good(answers)
	if len(won) == 0 {
		return
	}
	executed := 0
	for _, answer := range won {
		if answer.Header.Get("Idempotent-Replay") == "" {
			executed++
		}
		if !c.replays(won[0], answer) {
			c.shop.defect("wrong replay", "%s, at once under one key:\n    %s\n    %s", op.name, won[0], answer)
		}
	}
	if executed != 1 {
		c.shop.defect("wrong replay", "%s, at once under one key: %d of %d were executed", op.name, executed, len(won))
	}
	for _, answer := range answers {
		if answer.Status/100 == 4 && (c.alone || r.sure) {
			c.shop.defect("refused instead of replayed", "%s, at once under one key:\n    done    %s\n    refused %s",
				op.name, won[0], answer)
		}
	}
	if r.done != nil {
		r.done(won[0])
	}
	c.effects(op, r)
}

// replays reports whether two answers under one key are the same. Where others know the customer, one of them may have erased the person
// between the two: then the receipt is the same without the person (interface §4.4).
func (c *client) replays(one, other harness.Answer) bool {
	if one.Status != other.Status || bytes.Equal(one.Body, other.Body) {
		return one.Status == other.Status
	}
	erased := !c.alone && (one.Text("data", "customerName") == "") != (other.Text("data", "customerName") == "")
	return erased && !slices.ContainsFunc([]string{"id", "externalReference", "status", "totalAmount", "createdAt"}, func(member string) bool {
		return one.Text("data", member) == "" || one.Text("data", member) != other.Text("data", member)
	})
}

// effects looks how often a request that was repeated took effect.
func (c *client) effects(op *operation, r *request) {
	if r.effects == nil || !c.alone {
		return
	}
	if n := r.effects(c); n > 1 || n == 0 {
		c.shop.defect("effects of one key", "%s took effect %d times under one key", op.name, n)
	}
}

// underOneTag sends a change three times at once, each under the tag that was read before: one wins.
func (c *client) underOneTag(op *operation, r *request) {
	record := strings.TrimSuffix(strings.TrimSuffix(r.path, "/status"), "/items")
	read, ok := c.get("GET before If-Match", record)
	if !ok {
		return
	}
	answers := c.race(op, r, 3, http.Header{"If-Match": {read.Header.Get("ETag")}})
	won := good(answers)
	if len(won) > 1 {
		c.shop.defect("several winners under one ETag", "%s: %d of 3 won, e. g. %s", op.name, len(won), won[1])
	}
	moved := func(a harness.Answer) bool { return a.Status == http.StatusPreconditionFailed }
	if len(slices.DeleteFunc(answers, moved)) == 0 {
		c.shop.defect("no winner under one ETag", "%s: all three were answered 412", op.name)
	}
	if len(won) > 0 && r.done != nil {
		r.done(won[0])
	}
}

// members sends changes of different members of one record at once: all of them hold.
func (c *client) members(name, kind string, bodies ...object) {
	c.alone = true
	record := c.pick(kind)
	if record == "" {
		return
	}
	var wait sync.WaitGroup
	done := make([]bool, len(bodies))
	for i, body := range bodies {
		wait.Go(func() {
			r := &request{method: http.MethodPatch, path: record, body: body, login: kind == "user"}
			answer, good := c.deliver(&operation{name: name}, r, i, nil)
			if answer.Status/100 == 4 {
				c.shop.defect("refused although nobody else knows it", "%s", answer)
			}
			done[i] = good
		})
	}
	wait.Wait()
	read, ok := c.get("GET after "+name, record)
	for i, body := range bodies {
		expected, _ := harness.Decode(text(object{"data": body}))
		if defects := harness.MatchValue(expected, read.Value(), harness.Vars{}); ok && done[i] && len(defects) > 0 {
			c.shop.defect("undone by a change of another member", "%s: %v in %s", name, defects, read)
		}
	}
}

// race sends a request n times at once, to the nodes in turn.
func (c *client) race(op *operation, r *request, n int, header http.Header) []harness.Answer {
	answers := make([]harness.Answer, n)
	var wait sync.WaitGroup
	node := c.random.IntN(2)
	for i := range n {
		wait.Go(func() { answers[i], _ = c.deliver(op, r, node+i, header) })
	}
	wait.Wait()
	return answers
}

func good(answers []harness.Answer) []harness.Answer {
	return slices.DeleteFunc(slices.Clone(answers), func(a harness.Answer) bool { return a.Status/100 != 2 })
}

// pick returns a record of a kind: one that every client knows, or, for an operation alone, one created for it.
func (c *client) pick(kind string) string {
	if !c.alone {
		return c.shop.known.any(kind, c.random)
	}
	before := len(c.learnt)
	op := creator[kind]
	if op == nil {
		return ""
	}
	r := op.run(c)
	if r == nil {
		return ""
	}
	answer, good := c.once(op, r, c.random.IntN(2), nil)
	if answer.Status/100 == 4 {
		c.shop.defect("refused although nobody else knows it", "%s", answer)
	}
	if !good {
		return ""
	}
	for _, l := range c.learnt[before:] {
		if l[0] == kind {
			return l[1]
		}
	}
	return ""
}

// learn makes a record known: at once, or at the end of an operation alone.
func (c *client) learn(kind, path string) {
	if c.alone {
		c.learnt = append(c.learnt, [2]string{kind, path})
		return
	}
	c.shop.known.add(kind, path)
}

// forget makes a record unknown.
func (c *client) forget(kind, path string) {
	c.learnt = slices.DeleteFunc(c.learnt, func(l [2]string) bool { return l == [2]string{kind, path} })
	c.shop.known.drop(kind, path)
}

// name is a text not used before.
func (c *client) name(prefix string) string {
	c.sent++
	return fmt.Sprintf("%s-%d-%d", prefix, c.number, c.sent)
}

func (c *client) one(of ...string) string { return of[c.random.IntN(len(of))] }

func (c *client) chance(percent int) bool { return c.random.IntN(100) < percent }
