package bench

import (
	"context"
	"fmt"
	"io"
	"net"
)

// OutageFigures say how deliveries to some endpoints go alone, and beside one endpoint of the same account that answers slowly and one that
// is not there.
type OutageFigures struct {
	Alone  *Figures `json:"alone"`
	Beside *Figures `json:"beside"`
	// Share is the rate of deliveries beside over that alone.
	Share float64 `json:"share"`
	Slow  int     `json:"slowAnswered"` // deliveries that the slow endpoint answered meanwhile
}

// runOutages measures deliveries to the account's endpoints, registers a slow and a dead one too, and measures again.
func runOutages(ctx context.Context, c *campaign, result *Result) error {
	in, err := startReceiver(c.Receiver)
	if err != nil {
		return err
	}
	defer in.close()
	account := c.accounts[0]
	ids, err := registerEndpoints(c, account, in, 0)
	defer func() { removeEndpoints(c, account, ids) }()
	if err != nil {
		return fmt.Errorf("register an endpoint (the key needs write:webhooks, or give --admin-key): %w", err)
	}
	f := &OutageFigures{}
	if f.Alone, result.Deliveries, err = c.deliver(ctx, in, result); err != nil {
		return err
	}
	result.Service, result.Outages = f.Alone, f
	gone, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		return err
	}
	gone.Close()
	in.forget("/slow")
	k := c.caller(account.adminKey)
	defer k.close()
	for path, address := range map[string]net.Addr{"/slow": in.listener.Addr(), "/dead": gone.Addr()} {
		id, err := c.registerEndpoint(k, in, address.String(), path)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	c.say("outages: again, beside one that answers after %s and one that is not there", slowAnswer)
	f.Beside, result.Deliveries, err = c.deliver(ctx, in, result)
	if f.Beside != nil {
		f.Share = f.Beside.ItemsPerSecond / f.Alone.ItemsPerSecond
	}
	f.Slow = in.answeredLate()
	return err
}

// write prints the rates of the others.
func (f *OutageFigures) write(w io.Writer) {
	if f.Beside == nil {
		return
	}
	fmt.Fprintf(w, "\noutages: %s deliveries/s alone, %s/s beside a slow and a dead endpoint (%.2f); p50 %s ms alone, %s ms beside; "+
		"the slow one answered %d\n", rate(f.Alone.ItemsPerSecond), rate(f.Beside.ItemsPerSecond), f.Share, wait(f.Alone.Latency.P50),
		wait(f.Beside.Latency.P50), f.Slow)
}
