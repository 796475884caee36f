package dashboard

import "slices"

// prefix stands before every path of the table.
const prefix = "/dashboard"

// route is a page or an action.
type route struct {
	method string
	path   string // below the prefix, in the syntax of http.ServeMux: /orders/{id}
	scope  string // the API's scope that the user needs: "read:orders" to look, "write:orders" to change; "" for any user
	admin  bool   // only for owners and admins, like the API's routes that take a login
	open   bool   // without a session
	most   int64  // largest form in bytes, 0 for 1 MB
	file   bool   // it sends a file, no page
	moved  bool   // it is the address of before, which leads to the page
	serve  func(*Dashboard, *request) (answer, error)
}

// routes is the whole table; each file of pages has a part of it.
func routes(dev bool) []*route {
	list := slices.Concat(loginRoutes, setupRoutes, liveRoutes, sidebarRoutes, searchRoutes,
		overviewRoutes, channelRoutes, ruleRoutes, startRoutes, jobRoutes, meRoutes,
		orderRoutes, orderViewRoutes, orderPageRoutes, orderTagRoutes, orderReturnRoutes, returnsRoutes,
		productRoutes, importRoutes, categoryRoutes, attributeRoutes, stockRoutes, customerRoutes, exportRoutes,
		keyRoutes, endpointRoutes, deliveryRoutes, replayRoutes, eventRoutes,
		settingsRoutes, userRoutes, settingsLogRoutes, signInRoutes)
	if dev {
		list = append(list, partsRoutes...)
	}
	return list
}
