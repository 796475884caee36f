package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newManCommand is "entrepot man": the manual page that packages install, made from the commands themselves.
func newManCommand(env *environment) *cobra.Command {
	return &cobra.Command{Use: "man", Short: "Print the manual page", Hidden: true, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := bufio.NewWriter(env.stdout)
			writeManual(w, cmd.Root())
			return w.Flush()
		}}
}

// writeManual writes the page for man(1): every command with its flags, the settings, the exit codes.
func writeManual(w *bufio.Writer, root *cobra.Command) {
	fmt.Fprintf(w, ".TH ENTREPOT 1 \"\" %s\n.SH NAME\nentrepot \\- %s\n", quoted("entrepot "+version()), roff(root.Short))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B entrepot\n.I COMMAND\n.RI [ FLAGS ]\n.SH DESCRIPTION\n%s\n.SH COMMANDS\n", roff(root.Long))
	manualOf(w, root)
	fmt.Fprint(w, ".SH SETTINGS\nA setting is a flag, a variable, or a line \"name = value\" of the file that\n"+
		".B \\-\\-config\nnames. Flags win over variables, variables over the file. Secrets are no flags.\n")
	for _, s := range settings {
		fmt.Fprintf(w, ".TP\n.BR %s \", \" %s\n%s", roff(s.name), roff(variable(s.name)), roff(sentence(s.usage)))
		if s.standard != "" {
			fmt.Fprintf(w, " Default: %s.", roff(s.standard))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n0: done. 1: failed. 2: called wrongly.\n"+
		".SH FILES\n.TP\n.I /etc/entrepot/entrepot.conf\nSettings of the packaged service.\n"+
		".TP\n.I /var/lib/entrepot\nIts data folder: the SQLite store and the master key.\n")
}

// manualOf writes the commands of a group, each with its own commands behind it. A group that only has commands is none.
func manualOf(w *bufio.Writer, group *cobra.Command) {
	for _, c := range group.Commands() {
		if c.Hidden {
			continue
		}
		if !c.HasSubCommands() || strings.Contains(c.Use, " ") {
			manualOfOne(w, c)
		}
		manualOf(w, c)
	}
}

// manualOfOne writes a command with its flags.
func manualOfOne(w *bufio.Writer, c *cobra.Command) {
	fmt.Fprintf(w, ".SS %s\n%s\n", quoted(c.UseLine()), roff(sentence(c.Short)))
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(w, ".TP\n.BI %s\n%s\n", quoted(strings.TrimSpace("--"+f.Name+" "+kind)), roff(sentence(usage)))
	})
}

// sentence begins a text with a capital letter and ends it with a full stop.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// roff is a text as running text of a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n\n", "\n.PP\n").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return strings.NewReplacer("\n'", "\n\\&'", "\n\n", "\n").Replace(text)
}

// quoted is a text as one argument of a request.
func quoted(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
