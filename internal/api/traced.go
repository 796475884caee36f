package api

import "entrepot/internal/base/trace"

// traced gives the handler of each route a span within that of its request, named after the route. Without tracing the
// routes stay as they are.
func (c *Config) traced(routes []*route) []*route {
	if c.Trace == nil {
		return routes
	}
	own := make([]*route, len(routes)) // the table of the package stays as it is
	for i, listed := range routes {
		r := *listed
		own[i] = &r
		serve := r.serve
		r.serve = func(a *API, q *request) (out answer, err error) {
			trace.Route(q.ctx(), q.http.Method, r.path)
			given := q.http
			ctx, end := c.Trace.Begin(q.ctx(), r.name, trace.Attr("entrepot.account", string(q.caller.Account)))
			defer func() {
				q.http = given
				end(err)
			}()
			q.http = given.WithContext(ctx)
			return serve(a, q)
		}
	}
	return own
}
