package dashboard

// homeRoutes lead to the first page.
var homeRoutes = []*route{
	{method: "GET", path: "", serve: (*Dashboard).home},
	{method: "GET", path: "/{$}", serve: (*Dashboard).home},
}

// home serves GET /dashboard.
func (d *Dashboard) home(*request) (answer, error) { return redirect("/settings/me", ""), nil }
