package api

import (
	"net/http"
	"slices"
)

// routes is the whole API table, by section of docs/interface.md.
func routes() []*route {
	return withPut(slices.Concat(
		jobRoutes,            // 4.3
		jobActionRoutes,      // 4.3
		jobProductRoutes,     // 4.3
		exportRoutes,         // 4.3
		channelRoutes,        // 4.5
		publicationRoutes,    // 4.5
		channelCheckRoutes,   // 4.5
		channelPreviewRoutes, // 4.5
		notificationRoutes,   // 6.3
		docRoutes,            // 9
		orderRoutes,          // 4.1
		shipmentRoutes,       // 4.1
		orderTagRoutes,       // 4.1
		orderEditRoutes,      // 4.1
		returnRoutes,         // 4.1
		bulkProductRoutes,    // 4.2
		bulkPriceRoutes,      // 4.2
		bulkCategoryRoutes,   // 4.2
		categoryRoutes,       // 4.5.2
		mediaRoutes,          // 4.5.1
		attributeRoutes,      // 4.5.4
		productRoutes,        // 4.5.1
		productChangeRoutes,  // 4.5.1
		bulkInventoryRoutes,  // 4.2, 4.5.5
		inventoryFeedRoutes,  // 4.3
		warehouseRoutes,      // 4.5.3
		inventoryRoutes,      // 4.5.5
		movementRoutes,       // 4.5.5
		catalogFeedRoutes,    // 4.3
		customerRoutes,       // 4.4
		addressRoutes,        // 4.4
		segmentRoutes,        // 4.4
		sandboxRoutes,        // 6.2
		authRoutes,           // 4.5.6
		keyRoutes,            // 4.5.8
		endpointRoutes,       // 4.5.9
		deliveryRoutes,       // 4.5.9
		eventRoutes,          // 4.5.9
		userRoutes,           // 4.5.10
		signInRoutes,         // 4.5.10
		accountRoutes,        // 4.5.10
		auditRoutes,          // 4.5.10
		analyticsRoutes,      // 4.5.11
	))
}

// withPut adds the routes that a PATCH takes under PUT, too.
func withPut(list []*route) (all []*route) {
	for _, patch := range list {
		all = append(all, patch)
		if patch.put != "" {
			put := *patch
			put.method, put.name, put.put, put.summary = http.MethodPut, patch.put, "", patch.summary+", the same as PATCH"
			all = append(all, &put)
		}
	}
	return all
}
