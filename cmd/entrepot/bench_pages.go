package main

import (
	"github.com/spf13/cobra"

	"entrepot/internal/bench"
)

// newPagesCommand is "entrepot bench pages": it measures each page of the dashboard.
func newPagesCommand(env *environment) *cobra.Command {
	o := bench.PagesOptions{Progress: env.stderr}
	var asJSON bool
	pages := &cobra.Command{
		Use:   "pages",
		Short: "Read every page of a dashboard again and again: time and bytes of each",
		Long: "Read every page of a dashboard again and again, one request at a time: time and bytes of each.\n\n" +
			"Pages are found by their links from the first page on, one of each kind. Fill a store with \"entrepot bench fill\" first,\n" +
			"and add a user to it with \"entrepot user create\".",
		Example: "  entrepot bench pages --url http://127.0.0.1:8080 --email ann@example.com --password - < password.txt\n" +
			"  entrepot bench pages --email ann@example.com --password … --also '/dashboard/orders?search=ada' --json",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.Password, err = env.password(cmd, "password", o.Email); err != nil {
				return err
			}
			report, err := bench.Pages(cmd.Context(), o)
			if err != nil {
				return err
			}
			return env.writeReport(report, asJSON, "not every page was answered with 200; the report says which")
		},
	}
	flags := pages.Flags()
	flags.StringVar(&o.URL, "url", "http://127.0.0.1:8080", "base address of the service")
	flags.StringVar(&o.Email, "email", "", "e-mail address of a user of the account")
	flags.String("password", "", "the user's password; - reads it from stdin")
	flags.StringSliceVar(&o.Also, "also", nil, "further address to read, such as a search; may be repeated")
	flags.IntVar(&o.Times, "times", 50, "how often each page is read")
	flags.IntVar(&o.Most, "most", 200, "pages at most")
	flags.IntSliceVar(&o.ServerPIDs, "server-pid", nil, "process of the service, to measure its processor time; several with commas")
	flags.BoolVar(&o.AllowRemote, "allow-remote", false, "permit a service that is not on this machine")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	mustHave(pages, "email", "password")
	return pages
}
