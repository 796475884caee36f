package bench

import (
	"encoding/json"
	"fmt"
	"time"
)

// caller makes single requests outside the measurement: seeding, registering endpoints. Its speed does not matter, so
// it uses encoding/json.
type caller struct {
	conn *conn
	key  string
	used time.Time
}

// callerIdle is how long a caller's connection may be idle before another one is opened: a service closes idle ones
// after a minute or two. A call may take callerPatience.
const (
	callerIdle     = 20 * time.Second
	callerPatience = 5 * time.Minute
)

func (c *campaign) caller(key string) *caller {
	return &caller{conn: newConn(c.target, time.Time{}), key: key}
}

func (k *caller) close() { k.conn.close() }

// renew closes a connection that the service may have closed, or whose deadline is near; it must be called before each request.
func (k *caller) renew() {
	now := time.Now()
	if now.Sub(k.used) > callerIdle || k.conn.deadline.Sub(now) < callerPatience/2 {
		k.conn.close()
		k.conn.deadline = now.Add(callerPatience)
	}
	k.used = now
}

// call sends in (nil: no body; []byte: as it is) and reads the answer into out (nil: ignored). Anything but 2xx is an
// error with the service's message.
func (k *caller) call(method, path string, in, out any) error {
	var body []byte
	switch in := in.(type) {
	case nil:
	case []byte:
		body = in
	default:
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	k.renew()
	a, err := k.conn.exchange(k.conn.target.head(method, path, k.key), body, true)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if a.status/100 != 2 {
		return fmt.Errorf("%s %s: %s", method, path, lastWord(a, nil))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return fmt.Errorf("%s %s: understand the answer: %w", method, path, err)
	}
	return nil
}
