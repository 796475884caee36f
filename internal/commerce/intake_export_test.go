package commerce

import "entrepot/internal/base/id"

// IntakeWaiting is how many orders of an account wait for the group before them.
func (s *Service) IntakeWaiting(tenant id.Tenant) int { return s.intake.Waiting(tenant) }
