package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/importer/client"
)

// exported says how to read a kind of record through the API.
type exported struct {
	path  string
	limit int
}

var exports = map[string]exported{
	"products":   {"/api/v1/products", 250},
	"categories": {"/api/v1/categories", 250},
	"inventory":  {"/api/v1/inventory", 250},
	"customers":  {"/api/v1/customers", 100},
	"orders":     {"/api/v1/orders", 100},
}

// newExportCommand is "entrepot export KIND": records as JSON lines, through the API.
func newExportCommand(env *environment) *cobra.Command {
	kinds := make([]string, 0, len(exports))
	for kind := range exports {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	export := &cobra.Command{
		Use:       "export " + strings.Join(kinds, "|"),
		Short:     "Write records out as JSON lines, through the API",
		Long:      "Write records out, one JSON object a line, as the API's lists show them. Products can be imported again as they are.",
		Example:   "  entrepot export products --url http://127.0.0.1:8080 --key pk_live_… > products.jsonl",
		ValidArgs: kinds,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(kinds, args[0]) {
				return wrong("say what to export: one of %s", strings.Join(kinds, ", "))
			}
			return nil
		},
	}
	flags := export.Flags()
	flags.String("url", "http://127.0.0.1:8080", "address of the service")
	flags.String("key", "", "API key with the read scope (better in ENTREPOT_KEY: arguments are visible to other users)")
	flags.String("out", "", "file to write, which must not exist yet; without it, standard output")
	mustHave(export, "key")
	export.RunE = func(cmd *cobra.Command, args []string) error {
		address, _ := flags.GetString("url")
		key, _ := flags.GetString("key")
		service, err := client.New(address, key, client.WithUserAgent("entrepot-export"), client.WithNotice(waitNotice(env.stderr)))
		if err != nil {
			return wrong("%v", err)
		}
		if err := reachable(cmd.Context(), address, key); err != nil {
			return err
		}
		path, _ := flags.GetString("out")
		if path == "" {
			return env.export(cmd.Context(), service, args[0], env.stdout)
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		err = env.export(cmd.Context(), service, args[0], file)
		if closing := file.Close(); err == nil {
			err = closing
		}
		if err != nil {
			os.Remove(path) // an incomplete file would look complete
		}
		return err
	}
	return export
}

// reachable calls a service once, so that an unreachable one is reported at once and not after all retries.
func reachable(ctx context.Context, address, key string) error {
	once, err := client.New(address, key, client.WithRetry(client.Retry{Attempts: 1, Quota: time.Nanosecond}),
		client.WithTimeout(15*time.Second))
	if err != nil {
		return err
	}
	_, err = once.Do(ctx, client.Call{Method: "GET", Path: "/healthz"})
	if _, answered := errors.AsType[*client.Error](err); err == nil || answered {
		return nil // any answer means that the service is reachable
	}
	return fmt.Errorf("no service answers at %s: %w", address, err)
}

// export writes every record of a kind, oldest first where the list can be sorted. Pages follow the cursor, so that
// records created or deleted meanwhile shift none of the others out of them.
func (env *environment) export(ctx context.Context, service *client.Client, kind string, to io.Writer) error {
	e, out, n := exports[kind], bufio.NewWriter(to), 0
	query := url.Values{"limit": {strconv.Itoa(e.limit)}, "sort": {"createdAt:asc"}}
	for {
		answer, err := service.Do(ctx, client.Call{Method: "GET", Path: e.path, Query: query, Repeatable: true})
		if err != nil {
			return err
		}
		var list struct {
			Data []json.RawMessage `json:"data"`
			Meta struct {
				Limit      int    `json:"limit"`
				NextCursor string `json:"nextCursor"`
			} `json:"meta"`
		}
		if err := answer.Decode(&list); err != nil {
			return err
		}
		for _, record := range list.Data {
			out.Write(record)
			out.WriteByte('\n')
		}
		n += len(list.Data)
		if list.Meta.NextCursor == "" {
			if len(list.Data) > 0 && len(list.Data) == list.Meta.Limit {
				return fmt.Errorf("the list of %s has no cursor: the service is older than this program", kind)
			}
			break
		}
		query.Set("cursor", list.Meta.NextCursor)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(env.stderr, "%d %s\n", n, kind)
	return nil
}
