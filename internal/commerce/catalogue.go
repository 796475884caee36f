package commerce

// 2026-01-03T08:00:00Z
