package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entrepot/internal/base/id"
	"entrepot/internal/server"
	"entrepot/internal/verify"
)

// proofRecord is the printed form of a proof.
type proofRecord struct {
	Gone      bool            `json:"gone"`
	Findings  []findingRecord `json:"findings"`
	Customers int             `json:"erasedCustomers"`
	Orders    int             `json:"anonymousOrders"`
	Events    int             `json:"events"`
	Texts     int             `json:"texts"`
	Files     int             `json:"files"`
	Bytes     int64           `json:"bytes"`
	NotRead   []string        `json:"notRead"`
	Underway  int             `json:"underway"`
	Pending   int             `json:"pendingScrubs"`
}

type findingRecord struct {
	Where string `json:"where"`
	What  string `json:"what"`
}

// newVerifyErasureCommand is "entrepot verify-erasure".
func newVerifyErasureCommand(env *environment) *cobra.Command {
	var texts []string
	command := env.offline(&cobra.Command{
		Use:   "verify-erasure",
		Short: "Prove that nothing of an erased customer is left in the store",
		Long: "Prove that nothing of an erased customer is left in the store.\n\n" +
			"Without a flag, every record that is stored of every erased customer is looked at: orders, notes, events, stored answers.\n" +
			"With --text, a name, an e-mail or a phone number is looked for in every row of every table and in every byte of the\n" +
			"store's files: indexes, freed space, the write-ahead log. Upper and lower case, accents and escapes do not matter.\n\n" +
			"Exits with 1 when something is found. It changes nothing, and a service may run meanwhile.",
		Example: "  entrepot verify-erasure\n" +
			"  entrepot verify-erasure --customer 019a1c52-7c1e-7d40-9a55-00000000c001 --text 'Ada Lovelace' --text ada@example.com\n" +
			"  entrepot verify-erasure --text - < names.txt",
	}, func(cmd *cobra.Command, _ []string) (work, error) { return env.verifyErasure(cmd, texts) })
	command.Flags().String("customer", "", "id of one erased customer")
	command.Flags().StringArrayVar(&texts, "text", nil, "what to look for; may be given several times; - reads lines from standard input")
	return command
}

func (env *environment) verifyErasure(cmd *cobra.Command, given []string) (work, error) {
	customerText, _ := cmd.Flags().GetString("customer")
	var customer id.Customer
	if customerText != "" {
		var ok bool
		if customer, ok = id.Parse[id.Customer](customerText); !ok {
			return nil, wrong("--customer must be a customer's id")
		}
	}
	texts, err := env.textsToFind(given)
	if err != nil {
		return nil, err
	}
	return func(s *server.Store) error {
		proof := &verify.Proof{}
		if len(texts) == 0 || customer != "" {
			if err := verify.CheckRecords(cmd.Context(), s.DB, proof, customer); err != nil {
				return err
			}
		}
		if len(texts) > 0 {
			if err := verify.FindTexts(cmd.Context(), s.DB, proof, texts...); err != nil {
				return err
			}
		}
		if err := env.printProof(cmd, proof); err != nil {
			return err
		}
		switch {
		case !proof.Clean():
			return fmt.Errorf("something is left: %d findings", len(proof.Findings))
		case proof.Underway > 0:
			return fmt.Errorf("%d erasures have begun and not ended: the service goes on with them; look again in a minute",
				proof.Underway)
		case proof.Pending > 0:
			return fmt.Errorf("an erasure is not finished: its rows are gone, but bytes of them may be left in the store's files until " +
				"the service has scrubbed them; look again in a minute")
		}
		return nil
	}, nil
}

// textsToFind are the texts of the command line and of standard input.
func (env *environment) textsToFind(given []string) (texts []string, err error) {
	for _, text := range given {
		if text != "-" {
			texts = append(texts, text)
			continue
		}
		lines := bufio.NewScanner(env.stdin)
		for lines.Scan() {
			if line := strings.TrimSpace(lines.Text()); line != "" {
				texts = append(texts, line)
			}
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("reading what to look for: %w", err)
		}
	}
	for _, text := range texts {
		if len([]rune(strings.TrimSpace(text))) < 3 {
			return nil, wrong("--text %q is too short to mean one person: at least 3 characters", text)
		}
	}
	if len(given) > 0 && len(texts) == 0 {
		return nil, wrong("--text names nothing to look for")
	}
	return texts, nil
}

func (env *environment) printProof(cmd *cobra.Command, p *verify.Proof) error {
	r := proofRecord{Gone: p.Clean() && p.Pending == 0 && p.Underway == 0, Findings: []findingRecord{},
		Customers: p.Customers, Orders: p.Orders,
		Events: p.Events, Texts: p.Texts, Files: p.Files, Bytes: p.Bytes,
		NotRead: append([]string{}, p.Left...), Pending: p.Pending, Underway: p.Underway}
	rows := [][]string{}
	for _, f := range p.Findings {
		r.Findings = append(r.Findings, findingRecord{f.Where, f.What})
		rows = append(rows, []string{"found", f.What, "in " + f.Where})
	}
	if p.Texts > 0 {
		rows = append(rows, []string{"looked at", fmt.Sprintf("%d texts in tables", p.Texts)},
			[]string{"looked at", fmt.Sprintf("%d bytes in %d files", p.Bytes, p.Files)})
	} else {
		rows = append(rows, []string{"looked at", fmt.Sprintf("%d erased customers, %d orders, %d events", p.Customers, p.Orders, p.Events)})
	}
	for _, left := range p.Left {
		rows = append(rows, []string{"not read", left})
	}
	return env.print(cmd, r, nil, rows)
}
