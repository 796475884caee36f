package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
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

// repairRecord is the printed form of a check's result after a repair.
type repairRecord struct {
	checkRecord
	Derived  bool     `json:"derived"`
	Repaired int64    `json:"repaired"`
	Repairs  []string `json:"repairs"`
}

// newVerifyCommand is "entrepot verify": it checks the whole store for what must always hold. It changes nothing
// without --repair.
func newVerifyCommand(env *environment) *cobra.Command {
	check := &cobra.Command{
		Use:   "verify",
		Short: "Check the whole store: ledgers, reservations, totals, histories, events",
		Long: "Check the whole store: stock is the sum of its ledger, totals are those of their rows, every change has its event.\n\n" +
			"Each account is read on one snapshot. Nothing is changed, and a service may run meanwhile.\n" +
			"Exits with 1 when something does not hold.\n\n" +
			"With --repair, what is derived from records is computed anew where it is wrong: kept counts and figures, best sellers, the value\n" +
			"of the stock, and what searches and sorted lists use. Records themselves are not changed. A service may run and write\n" +
			"meanwhile; upgrade all its nodes first, because an older one may repeat the error. Each line shows the right value, which is\n" +
			"stored now, and the one it replaces. Exits with 1 when something still does not hold.",
		Example: "  entrepot verify\n  entrepot verify --account 019a1c52-7c1e-7d40-9a55-00000000a001 --json\n  entrepot verify --repair",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return env.verify(cmd) },
	}
	env.flags(check, "data", "database")
	accountFlag(env, check, "without it, all are checked")
	check.Flags().Bool("json", false, "print JSON")
	check.Flags().Bool("repair", false, "put right what is derived from records")
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
	repair, _ := cmd.Flags().GetBool("repair")
	run := verify.Run
	if repair {
		run = verify.Repair
	}
	results, err := run(cmd.Context(), store, only)
	if err != nil {
		return err
	}
	records, repairs, rows, wrongs, repaired := []checkRecord{}, []repairRecord{}, [][]string{}, int64(0), int64(0)
	for _, r := range results {
		record := checkRecord{r.Name, r.Says, r.Looked, r.Wrong, append([]string{}, r.Examples...), r.Took.Seconds()}
		records = append(records, record)
		repairs = append(repairs, repairRecord{record, r.Derived, r.Repaired, append([]string{}, r.Repairs...)})
		wrongs, repaired = wrongs+r.Wrong, repaired+r.Repaired
		rows = append(rows, []string{r.Name, strconv.FormatInt(r.Looked, 10), verdict(r), r.Took.Round(time.Millisecond).String(), r.Says})
	}
	var printed any = records
	if repair {
		printed = repairs
	}
	if err := env.print(cmd, printed, []string{"check", "looked at", "", "took", "what holds"}, rows); err != nil {
		return err
	}
	if repair {
		env.printRepairs(results, repaired)
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

// verdict is the result of a check: that its rule holds, or how often it does not and did not.
func verdict(r verify.Result) string {
	var parts []string
	if r.Repaired > 0 {
		parts = append(parts, strconv.FormatInt(r.Repaired, 10)+" repaired")
	}
	if r.Wrong > 0 {
		parts = append(parts, strconv.FormatInt(r.Wrong, 10)+" wrong")
	}
	if len(parts) == 0 {
		return "holds"
	}
	return strings.Join(parts, ", ")
}

// printRepairs says what was put right.
func (env *environment) printRepairs(results []verify.Result, repaired int64) {
	for _, r := range results {
		for _, one := range r.Repairs {
			fmt.Fprintf(env.stderr, "repaired: %s: %s\n", r.Name, one)
		}
		if more := r.Repaired - int64(len(r.Repairs)); more > 0 && len(r.Repairs) > 0 {
			fmt.Fprintf(env.stderr, "repaired: %s: %d more\n", r.Name, more)
		}
	}
	if repaired == 0 {
		fmt.Fprintln(env.stderr, "there was nothing to repair")
	}
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
