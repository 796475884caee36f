// Package script reads and runs exchanges with the service that look like the interface document.
//
// A script is a text file. "#" begins a comment line. "== [clause clause] title" begins a case; the clauses
// are ids from clauses.txt that the case proves. Before the first case stand options, one a line ("server own").
//
// A request is its request line, then header lines, then the body, sent exactly as it stands:
//
//	POST /api/v1/orders
//	Idempotency-Key: one
//	{ "customerName": "Ada", "items": [ { "sku": "A-1", "quantity": 2, "unitPrice": 9.5 } ] }
//	=> 201
//	Idempotent-Replay: <absent>
//	{ "data": { "id": "<uuid> $order", "status": "PENDING", "totalAmount": "19.00" } }
//	events: order.received
//	event order.received { "id": "${order}", "items": [ { "sku": "A-1", "quantity": 2 } ] }
//
// Behind "=>" stand the status and perhaps: "keep $name" (keep the body's bytes), "bytes $name" (the very
// bytes kept before), "within 5s" (ask again until the answer fits). Then come expected headers, then the
// expected JSON (see harness.Match). "${name}" inserts what was bound; "${uuid}" and the like are in expand.go.
//
// Other steps:
//
//	as key|owner|viewer|nobody|other|other-owner     who speaks from here on in this case
//	as key ${value} | as bearer ${value}             with a credential the script got itself
//	events: a, b*2, c? | events: none                exactly what the request before wrote to the event log; c may be there
//	event KIND {json}                                one of those events has such data
//	eventually KIND {json}                           such an event is in the log within 10 s of the case's begin
//	products / order $name {json} / stock SKU ...    short forms of common preparations, see prepare.go
//	set $name text                                   binds a name
//	check text == text                               compares two texts: == != < <= contains lacks
//	ids ${body} "${a}", "${b}"                       the ids of a kept list answer's rows, in order
//	inbox $name / answer … / deliveries …            a webhook endpoint of our own, see inbox.go
//	restart                                          stops the server in good order and starts it again
//	table a | b, rows, do, steps, end                runs the steps once per row; each row counts as a case
package script
