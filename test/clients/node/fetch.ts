// openapi-fetch with the types that openapi-typescript makes of the service's description.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

const [base, key] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: base, headers: { "X-API-Key": key } });

// An event as an endpoint gets it is a type of its own.
function reference(event: components["schemas"]["OrderReceivedEvent"]): string | null {
  return event.data.externalId;
}

async function main() {
  const product = await client.POST("/api/v1/products", { body: { sku: "TS-CUP", name: "Cup", price: "12.50" } });
  assert.equal(product.data?.data.price, 12.5);

  const draft: components["schemas"]["CreateOrder"] = { customerName: "Ada", externalReference: "TS-1", items: [{ sku: "TS-CUP", quantity: 2, unitPrice: 12.5 }] };
  const made = await client.POST("/api/v1/orders", { params: { header: { "Idempotency-Key": "ts-1" } }, body: draft });
  assert.equal(made.response.status, 201);
  assert.equal(made.data?.data.totalAmount, "25.00");

  const list = await client.GET("/api/v1/orders", { params: { query: { "createdAt[gte]": "2020-01-01", limit: 5 } } });
  assert.equal(list.data?.meta.total, 1);
  const id = list.data!.data[0].id;

  const order = await client.GET("/api/v1/orders/{id}", { params: { path: { id } } });
  assert.equal(order.data?.data.items[0].shippedQuantity, 0);

  const refused = await client.PATCH("/api/v1/orders/{id}/status", { params: { path: { id } }, body: { status: "DELIVERED" } });
  assert.equal(refused.error?.statusCode, 422);

  const missing = await client.GET("/api/v1/orders/{id}", { params: { path: { id: "00000000-0000-0000-0000-000000000000" } } });
  assert.equal(missing.error?.code, "not_found");

  const log = await client.GET("/api/v1/developer/events");
  const received = log.data?.data.find((event) => event.event === "order.received");
  assert.equal(reference(received as unknown as components["schemas"]["OrderReceivedEvent"]), "TS-1");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
