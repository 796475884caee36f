package commerce

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"entrepot/internal/accounts"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// The functions of this file list what the audit log compares of a record before and after a change, as texts by the
// names of members. Secrets are left out: details say that they were replaced.

func auditedUser(u accounts.User) map[string]string {
	return map[string]string{"email": u.Email, "name": u.Name, "role": string(u.Role), "status": string(u.Status), "timeZone": u.TimeZone,
		"locale": u.Locale, "language": u.Language, "scopes": strings.Join(u.Limit, " ")}
}

func auditedAccount(a accounts.Account) map[string]string {
	return map[string]string{"name": a.Name, "currency": a.Currency, "strictWarehouses": strconv.FormatBool(a.Settings.StrictWarehouses),
		"timeZone": cmp.Or(a.Settings.TimeZone, "UTC"), "locale": a.Settings.Locale, "plan": string(a.Plan)}
}

// auditedChannel has each of a channel's settings as its JSON text.
func auditedChannel(c channels.Channel) map[string]string {
	all := map[string]string{"name": c.Name, "status": string(c.Status), "oversell": c.Oversell}
	var settings map[string]json.RawMessage
	_ = json.Unmarshal([]byte(c.Settings), &settings) // stored as an object
	for name, value := range settings {
		all["settings."+name] = string(value)
	}
	return all
}

func auditedWarehouse(w stock.Warehouse) map[string]string {
	return map[string]string{"name": w.Name, "isDefault": strconv.FormatBool(w.Default), "address": w.Address}
}

func auditedAttribute(a catalog.Attribute) map[string]string {
	return map[string]string{"code": a.Code, "label": a.Label, "type": string(a.Type), "options": strings.Join(a.Options, ", ")}
}

// auditedEndpoint has only the host of the URL, because the rest may be a secret.
func auditedEndpoint(e *webhooks.Endpoint) map[string]string {
	all := noted(e)
	all["description"], all["ordered"] = e.Description, strconv.FormatBool(e.Ordered)
	return all
}
