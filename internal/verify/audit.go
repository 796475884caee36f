package verify

import (
	"entrepot/internal/audit"
	"entrepot/internal/webhooks"
)

// auditLog follows the chain of the audit log.
func auditLog(c *account) error {
	n, err := audit.Check(c.Tx, webhooks.CustomerErased, c.wrong)
	c.result.Looked += n
	return err
}
