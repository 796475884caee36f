<?php
// php selftest.php: checks refusal() against the fixed vector next to this folder.
declare(strict_types=1);
require __DIR__ . '/verify.php';

$vector = json_decode(file_get_contents(__DIR__ . '/../webhook-vector.json'), true, 16, JSON_THROW_ON_ERROR);
$now = (int) $vector['headers']['webhook-timestamp'];

/** Fails unless the changed request is accepted or refused as expected. */
function expect(bool $accepted, string $case, array $change = [], string $more = '', ?string $secret = null, int $late = 0): void
{
    global $vector, $now;
    $why = refusal($secret ?? $vector['secret'], array_merge($vector['headers'], $change), $vector['body'] . $more, $now + $late);
    if (($why === null) !== $accepted) {
        fwrite(STDERR, "php: $case: " . ($why ?? 'accepted') . "\n");
        exit(1);
    }
}

expect(true, 'as sent');
expect(true, 'one of several v1s', ['webhook-signature' => 'v1,AAAA ' . $vector['headers']['webhook-signature']]);
expect(false, 'changed body', [], ' ');
expect(false, 'another secret', [], '', 'whsec_AAAA');
expect(false, 'no hex signature', ['x-webhook-signature' => null]);
expect(false, 'no v1 signature', ['webhook-signature' => null]);
expect(false, 'another id', ['webhook-id' => 'x']);
expect(false, 'played back late', [], '', null, 301);
echo "php: vector verified\n";
