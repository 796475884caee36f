package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/verify"
)

// checkRecord is the printed form of a check's result.
type checkRecord struct {
	Check    string   `json:"check"`
	Says     string   `json:"says"`
	Looked   int64    `json:"looked"`
	Wrong    int64    `json:"wrong"`
	Examples []string `json:"examples"`
	Seconds  float64  `json:"seconds"`
}

// newVerifyCommand is "entrepot verify": it checks the whole store for what must always hold. It changes nothing.
func newVerifyCommand(env *environment) *cobra.Command {
	check := &cobra.Command{
		Use:   "verify",
		Short: "Check the whole store: ledgers, reservations, totals, histories, events",
		Long: "Check the whole store: stock is the sum of its ledger, totals are those of their rows, every change has its event.\n\n" +
			"Each account is read on one snapshot. Nothing is changed, and a service may run meanwhile.\n" +
			"Exits with 1 when something does not hold.",
		Example: "  entrepot verify\n  entrepot verify --account 019a1c52-7c1e-7d40-9a55-00000000a001 --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return env.verify(cmd) },
	}
	env.flags(check, "data", "database")
	accountFlag(env, check, "without it all are looked at")
	check.Flags().Bool("json", false, "print JSON")
	return check
}

func (env *environment) verify(cmd *cobra.Command) error {
	store, err := env.openToRead(cmd)
	if err != nil {
		return err
	}
	defer store.Close()
	var only id.Account
	if text, _ := cmd.Flags().GetString("account"); text != "" {
		one, err := accountNamed(cmd, store, text)
		if err != nil {
			return err
		}
		only = one.ID
	}
	results, err := verify.Run(cmd.Context(), store, only)
	if err != nil {
		return err
	}
	records, rows, wrongs := []checkRecord{}, [][]string{}, int64(0)
	for _, r := range results {
		records = append(records, checkRecord{r.Name, r.Says, r.Looked, r.Wrong, append([]string{}, r.Examples...), r.Took.Seconds()})
		verdict := "holds"
		if r.Wrong > 0 {
			verdict, wrongs = strconv.FormatInt(r.Wrong, 10)+" wrong", wrongs+r.Wrong
		}
		rows = append(rows, []string{r.Name, strconv.FormatInt(r.Looked, 10), verdict, r.Took.Round(time.Millisecond).String(), r.Says})
	}
	if err := env.print(cmd, records, []string{"check", "looked at", "", "took", "what holds"}, rows); err != nil {
		return err
	}
	for _, r := range results {
		for _, example := range r.Examples {
			fmt.Fprintf(env.stderr, "%s: %s\n", r.Name, example)
		}
	}
	if wrongs > 0 {
		return fmt.Errorf("the store does not hold in %d places", wrongs)
	}
	return nil
}

// openToRead opens an existing, up-to-date store without changing it.
func (env *environment) openToRead(cmd *cobra.Command) (*db.DB, error) {
	c, err := env.storeConfig(cmd)
	if err != nil {
		return nil, err
	}
	store, err := db.OpenExisting(cmd.Context(), db.Config{URL: c.URL, Dir: c.Dir})
	if err != nil {
		return nil, err
	}
	current, err := store.Current(cmd.Context())
	if err == nil && !current {
		err = errors.New("the store has another schema than this program: run entrepot migrate, or use the program that serves it")
	}
	if err != nil {
		store.Close()
		return nil, err
	}
	return store, nil
}
