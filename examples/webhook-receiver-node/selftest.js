// node selftest.js: checks verify() against the fixed vector next to this folder.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { verify } = require('./receiver.js');

const vector = JSON.parse(fs.readFileSync(path.join(__dirname, '..', 'webhook-vector.json'), 'utf8'));
const body = Buffer.from(vector.body, 'utf8');
const now = Number(vector.headers['webhook-timestamp']);
const check = (change = {}, text = body, secret = vector.secret, at = now) =>
  verify(secret, { ...vector.headers, ...change }, text, at);

check();
check({ 'webhook-signature': `v1,AAAA ${vector.headers['webhook-signature']}` });
assert.throws(() => check({}, Buffer.concat([body, Buffer.from(' ')])), /signature/, 'changed body');
assert.throws(() => check({}, body, 'whsec_AAAA'), /signature/, 'another secret');
assert.throws(() => check({ 'x-webhook-signature': undefined }), /signature/, 'no hex signature');
assert.throws(() => check({ 'webhook-signature': undefined }), /signature/, 'no v1 signature');
assert.throws(() => check({ 'webhook-id': 'x' }), /signature/, 'another id');
assert.throws(() => check({}, body, vector.secret, now + 301), /timestamp/, 'played back late');
console.log('node: vector verified');
