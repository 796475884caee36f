<?php
// Checks both signatures of a delivery (interface §5.2). PHP 8.1 or newer, nothing to install.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300; // how far the attempt's timestamp may be from this clock

/**
 * Says why the request is refused, or null when it comes from entrepot.
 *
 * @param array<string,?string> $headers lower-case names
 * @param string $body the raw bytes, before any parsing
 * @param int $now Unix time
 */
function refusal(string $secret, array $headers, string $body, int $now): ?string
{
    $hex = hash_hmac('sha256', $body, $secret);
    if (!hash_equals($hex, $headers['x-webhook-signature'] ?? '')) {
        return 'signature does not match';
    }

    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false) {
        return 'the secret must be whsec_ followed by base64';
    }
    $sent = $headers['webhook-timestamp'] ?? '';
    $signed = ($headers['webhook-id'] ?? '') . '.' . $sent . '.' . $body;
    $want = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    $matches = false;
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        $matches = hash_equals($want, $given) || $matches;
    }
    if (!$matches) {
        return 'signature does not match';
    }

    if (!ctype_digit($sent) || abs($now - (int) $sent) > TOLERANCE_SECONDS) {
        return 'timestamp is missing or too far from now';
    }
    return null;
}
