package shopify

import (
	"fmt"
	"strings"
)

// The queries of Shopify's GraphQL Admin API, version 2026-10. Each is named, so that a shop's logs show what asked.

const queryShop = `query Shop {
  shop { name myshopifyDomain url currencyCode ianaTimezone taxesIncluded }
  currentAppInstallation { accessScopes { handle } }
  locations(first: 250) { nodes { id name isActive fulfillsOnlineOrders } }
  publications(first: 20) { nodes { id name } }
}`

// productFields are what is needed of a product that is there.
const productFields = `fragment productFields on Product {
  id handle status onlineStoreUrl
  media(first: 250) { nodes { id status } }
  variants(first: 250) { pageInfo { hasNextPage } nodes { ...variantFields } }
}
` + variantFields

const variantFields = `fragment variantFields on ProductVariant {
  id sku price inventoryPolicy selectedOptions { name value } inventoryItem { id }
}`

const queryFind = `query Find($identifier: ProductIdentifierInput!, $skus: String!) {
  productByIdentifier(identifier: $identifier) { ...productFields }
  productVariants(first: 250, query: $skus) { nodes { sku product { id handle } } }
}
` + productFields

const queryProduct = `query FindProduct($identifier: ProductIdentifierInput!) {
  productByIdentifier(identifier: $identifier) { ...productFields }
}
` + productFields

// queryNew finds which of several products are not in the shop: by some SKUs, and by the address of each.
func queryNew(n int) string {
	var declared, body strings.Builder
	for i := range n {
		fmt.Fprintf(&declared, ", $identifier%d: ProductIdentifierInput!", i)
		fmt.Fprintf(&body, "  a%d: productByIdentifier(identifier: $identifier%d) { id }\n", i, i)
	}
	return "query FindNew($skus: String!" + declared.String() + ") {\n" + body.String() +
		"  productVariants(first: 250, query: $skus) { nodes { sku product { id handle } } }\n}"
}

const mutateProduct = `mutation SetProduct($identifier: ProductSetIdentifiers, $input: ProductSetInput!) {
  productSet(identifier: $identifier, input: $input, synchronous: true) {
    product { ...productFields }
    userErrors { field message code }
  }
}
` + productFields

// mutatePublish shows products on sales channels.
var mutatePublish = many{name: "Publish", field: "publishablePublish",
	answer:    "{ publishable { ... on Product { onlineStoreUrl } } userErrors { field message } }",
	arguments: []argument{{"id", "id", "ID!"}, {"input", "input", "[PublicationInput!]!"}}}

const queryMedia = `query Media($ids: [ID!]!) {
  nodes(ids: $ids) { ... on MediaImage { id status mediaErrors { message } } }
}`

const mutateHide = `mutation Hide($id: ID!) {
  productUpdate(product: { id: $id, status: DRAFT }) { userErrors { field message } }
}`

const mutateDelete = `mutation Delete($id: ID!) {
  productDelete(input: { id: $id }) { deletedProductId userErrors { field message } }
}`

const mutateStock = `mutation SetStock($input: InventorySetQuantitiesInput!, $key: String!) {
  inventorySetQuantities(input: $input) @idempotent(key: $key) { userErrors { field message code } }
}`

const mutateActivate = `mutation Activate($item: ID!, $location: ID!, $key: String!) {
  inventoryActivate(inventoryItemId: $item, locationId: $location) @idempotent(key: $key) { userErrors { field message } }
}`

const queryStock = `query Stock($ids: [ID!]!, $location: ID!) {
  nodes(ids: $ids) {
    ... on InventoryItem { id inventoryLevel(locationId: $location) { quantities(names: ["available"]) { quantity } } }
  }
}`

// mutatePrices sets prices of products' variants.
var mutatePrices = many{name: "SetPrices", field: "productVariantsBulkUpdate", fixed: "allowPartialUpdates: true",
	answer:    "{ userErrors { field message code } }",
	arguments: []argument{{"productId", "product", "ID!"}, {"variants", "variants", "[ProductVariantsBulkInput!]!"}}}

// orderFields are all that is taken over of an order. Amounts are asked for in the shop's currency.
const orderFields = `fragment orderFields on Order {
  id name createdAt updatedAt cancelledAt test displayFinancialStatus displayFulfillmentStatus returnStatus
  email phone note taxesIncluded currencyCode paymentGatewayNames
  customer { firstName lastName defaultEmailAddress { emailAddress } defaultPhoneNumber { phoneNumber } }
  shippingAddress { ...placeFields } billingAddress { ...placeFields }
  totalShippingPriceSet { ...amount } totalTaxSet { ...amount } totalPriceSet { ...amount } totalTipReceivedSet { ...amount }
  originalTotalDutiesSet { ...amount } currentTotalPriceSet { ...amount } currentTotalTaxSet { ...amount }
  shippingLines(first: 5) { nodes { title taxLines { priceSet { ...amount } } } }
  lineItems(first: $lines) {
    pageInfo { hasNextPage endCursor }
    nodes { ...lineFields }
  }
  fulfillments(first: $few) {
    id status displayStatus createdAt trackingInfo(first: 5) { company number url }
    fulfillmentLineItems(first: $parts) { nodes { quantity lineItem { id } } }
  }
  refunds(first: $few) {
    id createdAt note totalRefundedSet { ...amount }
    refundLineItems(first: $parts) {
      nodes { quantity restockType restocked lineItem { id } subtotalSet { ...amount } totalTaxSet { ...amount } }
    }
  }
}
fragment placeFields on MailingAddress { name company address1 address2 city provinceCode zip countryCodeV2 phone }
` + lineFields

const lineFields = `fragment lineFields on LineItem {
  id sku name quantity currentQuantity variant { id } product { id } customAttributes { key value }
  originalTotalSet { ...amount } originalUnitPriceSet { ...amount } taxLines(first: 5) { priceSet { ...amount } }
}
fragment amount on MoneyBag { shopMoney { amount } }`

// Queries for orders: what one may cost at most depends on how many orders, lines, parcels and refunds it might give.
const queryOrders = `query Orders($first: Int!, $after: String, $query: String!, $lines: Int!, $parts: Int!, $few: Int!) {
  orders(first: $first, after: $after, sortKey: UPDATED_AT, query: $query) {
    pageInfo { hasNextPage endCursor }
    nodes { ...orderFields }
  }
}
` + orderFields

const queryOrdersByID = `query OrdersByID($ids: [ID!]!, $lines: Int!, $parts: Int!, $few: Int!) {
  nodes(ids: $ids) { ...orderFields }
}
` + orderFields

const queryOrder = `query Order($id: ID!, $lines: Int!, $parts: Int!, $few: Int!) { order(id: $id) { ...orderFields } }
` + orderFields

const queryMoreLines = `query MoreLines($id: ID!, $after: String!) {
  order(id: $id) { lineItems(first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes { ...lineFields } } }
}
` + lineFields

// shippingFields are what is needed of an order to ship and to cancel it.
const shippingFields = `fragment shippingFields on Order {
  id cancelledAt
  fulfillments(first: $few) {
    id status displayStatus trackingInfo(first: 5) { company number url }
    fulfillmentLineItems(first: $lines) { nodes { quantity lineItem { id } } }
  }
  fulfillmentOrders(first: $few) { nodes { id status lineItems(first: $lines) { ...partFields } } }
}
` + partFields

const partFields = `fragment partFields on FulfillmentOrderLineItemConnection {
  pageInfo { hasNextPage endCursor } nodes { id remainingQuantity lineItem { id } }
}`

const queryMoreParts = `query MoreParts($id: ID!, $after: String!) {
  fulfillmentOrder(id: $id) { lineItems(first: 250, after: $after) { ...partFields } }
}
` + partFields

const queryShipping = `query Shipping($id: ID!, $lines: Int!, $few: Int!) { order(id: $id) { ...shippingFields } }
` + shippingFields

const queryShippingOfMany = `query ShippingOfMany($ids: [ID!]!, $lines: Int!, $few: Int!) { nodes(ids: $ids) { ...shippingFields } }
` + shippingFields

const mutateShip = `mutation Ship($fulfillment: FulfillmentInput!) {
  fulfillmentCreate(fulfillment: $fulfillment) { fulfillment { id } userErrors { field message } }
}`

const mutateTracking = `mutation Track($id: ID!, $tracking: FulfillmentTrackingInput!) {
  fulfillmentTrackingInfoUpdate(fulfillmentId: $id, trackingInfoInput: $tracking, notifyCustomer: true) { userErrors { field message } }
}`

const mutateDelivered = `mutation Delivered($event: FulfillmentEventInput!) {
  fulfillmentEventCreate(fulfillmentEvent: $event) { userErrors { field message } }
}`

const mutateCancel = `mutation Cancel($id: ID!, $reason: OrderCancelReason!, $note: String, $refund: OrderCancelRefundMethodInput) {
  orderCancel(orderId: $id, reason: $reason, restock: true, notifyCustomer: true, staffNote: $note, refundMethod: $refund) {
    orderCancelUserErrors { field message code } }
}`

const queryWebhooks = `query Webhooks($after: String) {
  webhookSubscriptions(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { id topic uri } }
}`

const mutateWebhook = `mutation AddWebhook($topic: WebhookSubscriptionTopic!, $webhook: WebhookSubscriptionInput!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: $webhook) { webhookSubscription { id } userErrors { field message } }
}`

const mutateDropWebhook = `mutation DropWebhook($id: ID!) { webhookSubscriptionDelete(id: $id) { userErrors { field message } } }`
