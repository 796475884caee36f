<?php
// Takes webhooks from entrepot: verifies both signatures, ignores what it has already seen, logs
// one line per event.
//
//   WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:9090 receiver.php
//
// PHP forgets everything between requests, so handled ids are files in WEBHOOK_STATE (default: a
// folder below the temporary one). A real shop keeps them in its database, inserted in the same
// transaction as its own change.
declare(strict_types=1);
require __DIR__ . '/verify.php';

/** Ends the request with a plain answer. */
function answer(int $status, string $text): never
{
    http_response_code($status);
    header('Content-Type: text/plain');
    exit($text . "\n");
}

/** Does the work of one event; throws to have it sent again. */
function handle(array $event): void
{
    file_put_contents('php://stdout', "verified {$event['event']} {$event['id']}\n");
}

$secret = getenv('WEBHOOK_SECRET') ?: '';
if ($secret === '') {
    answer(500, "set WEBHOOK_SECRET to the endpoint's secret (whsec_…)");
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    header('Allow: POST');
    answer(405, 'POST only');
}

$headers = array_change_key_case(getallheaders(), CASE_LOWER);
$body = file_get_contents('php://input'); // the raw bytes: verify before parsing
$why = refusal($secret, $headers, $body, time());
if ($why !== null) {
    answer(401, $why);
}

$event = json_decode($body, true, 64, JSON_THROW_ON_ERROR);
$state = getenv('WEBHOOK_STATE') ?: sys_get_temp_dir() . '/entrepot-webhooks';
if (!is_dir($state) && !mkdir($state, 0700, true) && !is_dir($state)) {
    answer(500, 'cannot keep state');
}
$mark = fopen($state . '/' . hash('sha256', $event['id']), 'c+');
flock($mark, LOCK_EX); // two deliveries of one event wait for each other
if (fread($mark, 4) === 'done') {
    answer(200, 'duplicate');
}
try {
    handle($event);
} catch (Throwable $fault) {
    error_log("failed {$event['id']}: {$fault->getMessage()}");
    answer(500, 'try again');
}
fwrite($mark, 'done');
answer(200, 'ok');
