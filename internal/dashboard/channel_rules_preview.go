package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"entrepot/internal/base/money"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
)

// rulesPreview says what a change of a channel's settings would do, before it is saved.
type rulesPreview struct {
	Checked string // digest of the change
	Effects []ruleEffect
}

// ruleEffect is one effect in words, with samples.
type ruleEffect struct {
	Words   string
	Samples []string
}

// checkedName is the input with the digest of the change that the preview of a page is about.
const checkedName = "checked"

// changeDigest is a short hash of a change of settings.
func changeDigest(draft commerce.ChannelDraft) string {
	sum := sha256.Sum256([]byte(*draft.Settings))
	return hex.EncodeToString(sum[:8])
}

// previewRules is the page of a channel's settings with what the change that was typed would do.
func (d *Dashboard) previewRules(r *request, c channels.Channel, f *form, u *rules, draft commerce.ChannelDraft) (answer, error) {
	var found commerce.SettingsPreview
	err := r.read(func(tx *db.Tx) (err error) {
		found, err = d.Commerce.PreviewSettings(tx, r.caller(), c.ID, *draft.Settings)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return r.rulesPage(c, f, u, &rulesPreview{Checked: changeDigest(draft), Effects: r.ruleEffects(f, found)}), nil
}

// ruleEffects are the words of a preview.
func (r *request) ruleEffects(f *form, p commerce.SettingsPreview) (list []ruleEffect) {
	add := func(words string, samples ...string) { list = append(list, ruleEffect{words, samples}) }
	of := r.say(" of %s", r.format.plural(p.SKUs, "SKU", "SKUs"))
	if p.Partial {
		of = r.say(" of the first %s SKUs, by their codes; the others were not counted", r.format.Count(p.SKUs))
	}
	about := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return slices.Contains(p.Changed, name) && !slices.Contains(p.NotCounted, name)
		})
	}
	if about("stock", "stockBuffer", "warehouses") {
		if p.Kept > 0 {
			add(r.say("The stock of %s%s is not sent any more: the shop keeps what it shows.", r.format.Count(p.Kept), of))
		} else {
			words := r.say("Another quantity is shown for %s%s.", r.format.Count(p.Stock), of)
			if p.SoldOut > 0 {
				words += r.say(" %s would be sold out.", r.format.Count(p.SoldOut))
			}
			add(words, r.stockSamples(p.Stocks)...)
		}
	}
	if about("priceFactor") {
		add(r.say("The price changes for %s%s.", r.format.Count(p.Prices), of), r.priceSamples(p.Priced)...)
	}
	if p.Older != nil {
		add(r.say("%s. How many the shop has that come in or stay out is not known before the next pull.",
			r.format.plural(*p.Older, "order here is older and stays", "orders here are older and stay")))
	}
	if names := r.ruleLabels(f, p.NotCounted); len(names) > 0 {
		add(r.say("What this does cannot be counted before: %s.", strings.Join(names, ", ")))
	}
	return list
}

// ruleLabels are the names of settings in the words of their inputs.
func (r *request) ruleLabels(f *form, names []string) (labels []string) {
	for _, name := range names {
		switch in := f.find("settings." + name); {
		case name == "statusMap":
			labels = append(labels, "What the shop's statuses mean")
		case in != nil:
			labels = append(labels, in.Label)
		default:
			labels = append(labels, name)
		}
	}
	return labels
}

func (r *request) stockSamples(list []commerce.StockSample) (lines []string) {
	words := func(quantity *int64) string {
		if quantity == nil {
			return "what the shop counts"
		}
		return r.format.Count(*quantity)
	}
	for _, s := range list {
		lines = append(lines, s.SKU+": "+words(s.Before)+" → "+words(s.After))
	}
	return lines
}

func (r *request) priceSamples(list []commerce.PriceSample) (lines []string) {
	currency := r.session.Account.Currency
	for _, s := range list {
		lines = append(lines, s.SKU+": "+r.format.Money(s.Before, currency)+" → "+r.format.Money(s.After, currency)+
			r.percentWords(s.Before, s.After))
	}
	return lines
}

// percentWords is how much a price changes, in whole percent.
func (r *request) percentWords(before, after money.Amount) string {
	if before == 0 {
		return ""
	}
	return " (" + signedPercent(r.format, int64((after-before)*100/before)) + ")"
}
