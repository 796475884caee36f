package commerce

import (
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/webhooks"
)

// AdvanceClock advances the clock of a sandbox account: everything that waits for a time (retries, jobs, remembered
// Idempotency-Keys and notifications, logins, expiring keys) becomes due that much earlier, so that an integrator
// sees five retries in a second. It returns how far the account's clock is ahead in total. Times in answers stay the
// real ones. Errors: Forbidden for other accounts.
func (s *Service) AdvanceClock(tx *db.Tx, who accounts.Caller, by time.Duration) (ahead time.Duration, err error) {
	if !who.Sandbox {
		return 0, apperr.New(apperr.Forbidden, "sandbox_only", "only a sandbox account has a clock that can be moved").With("requiredScope",
			"sandbox")
	}
	var micros int64
	if err := tx.Row("UPDATE tenants SET clock_offset = clock_offset + $2 WHERE tenant_id = $1 RETURNING clock_offset",
		[]any{tx.Tenant, by.Microseconds()}, &micros); err != nil {
		return 0, err
	}
	for _, sql := range []string{
		"UPDATE idempotency_keys SET expires_at = expires_at - $2::BIGINT WHERE tenant_id = $1",
		"UPDATE notifications SET expires_at = expires_at - $2::BIGINT WHERE tenant_id = $1",
		"UPDATE tokens SET expires_at = expires_at - $2::BIGINT WHERE tenant_id = $1",
		"UPDATE api_keys SET expires_at = expires_at - $2::BIGINT WHERE tenant_id = $1 AND expires_at IS NOT NULL",
		"UPDATE jobs SET due_at = due_at - $2::BIGINT WHERE tenant_id = $1 AND status = 'PENDING'",
	} {
		tx.Queue(sql, tx.Tenant, by.Microseconds())
	}
	tx.Wake(jobs.Topic)
	return time.Duration(micros) * time.Microsecond, webhooks.Advance(tx, by)
}
