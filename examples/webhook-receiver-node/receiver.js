// Takes webhooks from entrepot: verifies both signatures, ignores what it has already seen, prints
// one line per event. Node 18 or newer, nothing to install.
//
//   WEBHOOK_SECRET=whsec_… PORT=9090 node receiver.js
'use strict';
const { createHmac, timingSafeEqual } = require('node:crypto');
const http = require('node:http');

const TOLERANCE_SECONDS = 300; // how far the attempt's timestamp may be from this clock
const MAX_BODY = 1 << 20; // bytes

// Compares two strings in constant time for equal lengths.
function same(a, b) {
  const [x, y] = [Buffer.from(String(a)), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

// Checks both signatures over the raw body (a Buffer) and throws when one is wrong (interface §5.2).
// Header names are lower case, as node:http gives them. nowSeconds is Unix time.
function verify(secret, headers, body, nowSeconds) {
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  if (!same(headers['x-webhook-signature'] ?? '', hex)) throw new Error('signature does not match');

  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const sent = headers['webhook-timestamp'] ?? '';
  const mac = createHmac('sha256', key).update(`${headers['webhook-id']}.${sent}.`).update(body).digest('base64');
  const given = (headers['webhook-signature'] ?? '').split(' ');
  if (!given.some((s) => same(s, `v1,${mac}`))) throw new Error('signature does not match');

  if (!/^\d+$/.test(sent) || Math.abs(nowSeconds - Number(sent)) > TOLERANCE_SECONDS) {
    throw new Error('timestamp is missing or too far from now');
  }
}

// Makes the server. handle(event) does the work; when it throws, the answer is 500 and the service
// tries again. What was handled is kept in memory only: a real shop keeps the ids in its database,
// inserted in the same transaction as its own change.
function createReceiver(secret, handle) {
  const handled = new Map(); // id → promise of its handling, so that two at once are one
  return http.createServer((req, res) => {
    const answer = (status, text) => res.writeHead(status, { 'Content-Type': 'text/plain' }).end(text + '\n');
    if (req.method !== 'POST') return answer(405, 'POST only');
    const chunks = [];
    let size = 0;
    req.on('data', (chunk) => {
      size += chunk.length;
      if (size <= MAX_BODY) chunks.push(chunk);
    });
    req.on('end', async () => {
      if (size > MAX_BODY) return answer(413, 'body too large');
      const body = Buffer.concat(chunks); // the raw bytes: verify before parsing
      let event;
      try {
        verify(secret, req.headers, body, Date.now() / 1000);
        event = JSON.parse(body.toString('utf8'));
      } catch (err) {
        return answer(401, err.message);
      }
      const seen = handled.has(event.id);
      if (!seen) handled.set(event.id, Promise.resolve(event).then(handle));
      try {
        await handled.get(event.id);
        answer(200, seen ? 'duplicate' : 'ok');
      } catch (err) {
        handled.delete(event.id);
        answer(500, 'try again');
      }
    });
  });
}

module.exports = { verify, createReceiver };

if (require.main === module) {
  const secret = process.env.WEBHOOK_SECRET;
  if (!secret) {
    console.error('set WEBHOOK_SECRET to the endpoint\'s secret (whsec_…)');
    process.exit(2);
  }
  const port = Number(process.env.PORT ?? 9090);
  createReceiver(secret, (event) => console.log('verified', event.event, event.id)).listen(port, '127.0.0.1', () =>
    console.error(`listening on http://127.0.0.1:${port}`),
  );
}
