// The client that @hey-api/openapi-ts makes of the service's description.
import assert from "node:assert/strict";
import { bulkUpdatePrices, createCustomer, createProduct, getCustomer, listCustomers, updateCustomer } from "./hey";
import { client } from "./hey/client.gen";

const [base, key] = process.argv.slice(2);
client.setConfig({ baseUrl: base, headers: { "X-API-Key": key } });

async function main() {
  const made = await createCustomer({ body: { email: "hey@example.com", firstName: "Hey", tags: ["b2b"] } });
  assert.equal(made.response?.status, 201);
  const id = made.data!.data.id;

  const changed = await updateCustomer({ path: { id }, body: { phone: "+33123456789" } });
  assert.equal(changed.data?.data.phone, "+33123456789");
  const read = await getCustomer({ path: { id } });
  assert.deepEqual(read.data?.data.tags, ["b2b"]);
  const list = await listCustomers({ query: { email: "hey@example.com" } });
  assert.equal(list.data?.meta.total, 1);

  const twice = await createCustomer({ body: { email: "hey@example.com" } });
  const error = twice.error as { code: string; customerId?: string };
  assert.equal(error.code, "customer_exists");
  assert.equal(error.customerId, id);

  await createProduct({ body: { sku: "HEY-CUP", name: "Cup", price: 9 } });
  const prices = await bulkUpdatePrices({ body: { updates: [{ sku: "HEY-CUP", price: 8.5, compareAtPrice: null }, { sku: "NOBODY", price: 1 }] } });
  assert.equal(prices.data?.data.updated, 1);
  assert.equal(prices.data?.data.errors[0].code, "unknown_sku");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
