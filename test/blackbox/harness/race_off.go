//go:build !race

package harness

// raceEnabled says that this test binary was built with the race detector, so the service is too.
const raceEnabled = false
