package jobs

// DeleteStatements are those of DeleteExpired.
var DeleteStatements = []string{deleteTheirOrders, deleteTheirProducts, deleteExpired}
