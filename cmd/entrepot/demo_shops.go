package main

import (
	"context"
	"encoding/json"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"entrepot/internal/importer/client"
)

// demoPlatforms are the platforms that the demo simulates.
var demoPlatforms = []string{"woocommerce", "shopify"}

// Times of the simulated shops.
const (
	demoBuys  = 5 * time.Minute // between two orders of a shop
	demoPulls = 10              // seconds between two pulls
)

// demoMark ends the names of channels of simulated shops; it identifies those of an earlier run on the same folder.
const demoMark = " (simulated)"

// demoShop is a simulated shop that is served.
type demoShop struct {
	*simulated
	address string
}

// serveDemoShops serves the demo's shops on free ports of this machine until the context ends; ended waits for their
// end.
func serveDemoShops(ctx context.Context) (shops []demoShop, ended func(), err error) {
	var running sync.WaitGroup
	for _, shop := range simulatedShops() {
		if !slices.Contains(demoPlatforms, shop.slug) {
			continue
		}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, running.Wait, err
		}
		shops = append(shops, demoShop{shop, "http://" + listener.Addr().String()})
		running.Go(func() { _ = shop.serve(ctx, listener, demoBuys) })
	}
	return shops, running.Wait, nil
}

// connectDemoShops creates a channel for each shop, tests it, and publishes a part of the sample products on it. It
// deletes channels of earlier runs with their orders, because those shops no longer run.
func connectDemoShops(call demoCall, shops []demoShop) error {
	var list struct {
		Data []struct{ ID, Name string }
	}
	if err := call("GET", "/api/v1/channels", nil, &list); err != nil {
		return err
	}
	for _, channel := range list.Data {
		if strings.HasSuffix(channel.Name, demoMark) {
			if err := call("DELETE", "/api/v1/channels/"+channel.ID+"?force=true", nil, nil); err != nil {
				return err
			}
		}
	}
	for i, shop := range shops {
		settings := map[string]any{"pullEvery": demoPulls}
		if shop.platform == "WOOCOMMERCE" { // a channel with rules: two units of each product are not offered, at five percent more
			settings["stockBuffer"], settings["priceFactor"] = 2, "1.05"
		}
		var made struct {
			Data struct{ Channel struct{ ID string } }
		}
		if err := call("POST", "/api/v1/channels", map[string]any{"name": shop.name + demoMark, "platform": shop.platform,
			"credentials": shop.takes(shop.address), "settings": settings}, &made); err != nil {
			return err
		}
		path := "/api/v1/channels/" + made.Data.Channel.ID
		if err := call("POST", path+"/sync/test", map[string]any{}, nil); err != nil {
			return err
		}
		var skus []string
		for n, p := range demoProducts {
			if n%len(shops) == i {
				skus = append(skus, p.sku)
			}
		}
		if err := call("POST", path+"/publications", map[string]any{"skus": skus}, nil); err != nil {
			return err
		}
	}
	return nil
}

// demoCall is one request to the service with the demo's key; into may be nil.
type demoCall func(method, path string, body, into any) error

// demoCalls makes these requests by a client.
func demoCalls(ctx context.Context, service *client.Client) demoCall {
	return func(method, path string, body, into any) error {
		path, query, _ := strings.Cut(path, "?")
		c := client.Call{Method: method, Path: path}
		var err error
		if c.Query, err = url.ParseQuery(query); err != nil {
			return err
		}
		if body != nil {
			if c.Body, err = json.Marshal(body); err != nil {
				return err
			}
		}
		answer, err := service.Do(ctx, c)
		if err != nil || into == nil {
			return err
		}
		return answer.Decode(into)
	}
}
