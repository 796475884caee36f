package main

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

// newHealthCommand is "entrepot health", for the health checks of containers: an image without a shell has no curl.
func newHealthCommand(env *environment) *cobra.Command {
	verbose := false
	health := &cobra.Command{Use: "health", Short: "Ask the service on this machine whether it is ready",
		Long: "Ask the service that listens on --addr of this machine for /readyz, within three seconds.\n\n" +
			"Exits with 0 when it is ready, otherwise with 1. This is the health check of the container image.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := env.checkAddresses(cmd); err != nil {
				return err
			}
			host, port, _ := net.SplitHostPort(env.text(cmd, "addr"))
			if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
				host = ""
			}
			scheme := "http://"
			if env.text(cmd, "tls-cert")+env.text(cmd, "acme-domain") != "" {
				scheme = "https://"
			}
			address := scheme + net.JoinHostPort(cmp.Or(host, "localhost"), port) + "/readyz"
			if verbose {
				address += "?verbose"
			}
			request, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, address, nil)
			if err != nil {
				return err
			}
			// The service itself is asked, whatever proxy the environment names. Its certificate is for another name
			// than localhost, and a process of this machine is asked for one word: the name is not verified.
			answer, err := unverified(3 * time.Second).Do(request)
			if err != nil {
				return fmt.Errorf("the service does not answer: %w", err)
			}
			defer answer.Body.Close()
			var state struct{ Status string }
			text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
			if err = cmp.Or(err, json.Unmarshal(text, &state)); err != nil {
				return fmt.Errorf("%s is not entrepot: status %d", address, answer.StatusCode)
			}
			if verbose {
				if _, err := env.stdout.Write(text); err != nil {
					return err
				}
			}
			if answer.StatusCode != http.StatusOK {
				return fmt.Errorf("the service is not ready: %s", state.Status)
			}
			if !verbose {
				_, err = fmt.Fprintln(env.stdout, state.Status)
			}
			return err
		}}
	env.flags(health, "addr", "tls-cert", "acme-domain")
	health.Flags().BoolVar(&verbose, "verbose", false, "print the state of the node: version, schema, role of the database, disk, certificate's end")
	return health
}

// unverified is a client for a service whose certificate is for another name than the one it is asked by.
func unverified(timeout time.Duration) *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
}
