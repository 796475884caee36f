"""Takes webhooks from entrepot: verifies both signatures, ignores what it has already seen, prints
one line per event. Python 3.9 or newer, nothing to install.

    WEBHOOK_SECRET=whsec_… PORT=9090 python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300  # how far the attempt's timestamp may be from this clock
MAX_BODY = 1 << 20  # bytes


class Refused(Exception):
    """The request does not come from entrepot, or not now."""


def verify(secret: str, headers, body: bytes, now: float) -> None:
    """Checks both signatures over the raw body (interface §5.2); raises Refused.

    headers needs a case-insensitive get(name), or lower-case names; now is Unix time.
    """
    mac = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    if not same(headers.get("x-webhook-signature") or "", mac):
        raise Refused("signature does not match")

    key = base64.b64decode(secret.removeprefix("whsec_"))
    sent = headers.get("webhook-timestamp") or ""
    signed = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    want = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(same(given, want) for given in (headers.get("webhook-signature") or "").split()):
        raise Refused("signature does not match")

    if not (sent.isascii() and sent.isdigit()) or abs(now - int(sent)) > TOLERANCE_SECONDS:
        raise Refused("timestamp is missing or too far from now")


def same(a: str, b: str) -> bool:
    """Compares in constant time; encoded, because compare_digest refuses non-ASCII text."""
    return hmac.compare_digest(a.encode(), b.encode())


def make_server(port: int, secret: str, handle) -> ThreadingHTTPServer:
    """Makes the server. handle(event) does the work; when it raises, the answer is 500 and the
    service tries again. Handled ids are kept in memory only: a real shop keeps them in its database,
    inserted in the same transaction as its own change."""
    handled, lock = set(), threading.Lock()

    class Receiver(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            length = int(self.headers.get("Content-Length") or 0)
            if length > MAX_BODY:
                self.close_connection = True
                return self.answer(413, "body too large")
            body = self.rfile.read(length)  # the raw bytes: verify before parsing
            try:
                verify(secret, self.headers, body, time.time())
                event = json.loads(body)
            except (Refused, ValueError) as refusal:
                return self.answer(401, str(refusal))
            with lock:
                if event["id"] in handled:
                    return self.answer(200, "duplicate")
                try:
                    handle(event)
                except Exception as fault:  # whatever went wrong, the event must come again
                    print("failed", event["id"], fault, file=sys.stderr)
                    return self.answer(500, "try again")
                handled.add(event["id"])
            self.answer(200, "ok")

        def answer(self, status: int, text: str) -> None:
            body = (text + "\n").encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass  # one line per event is enough

    return ThreadingHTTPServer(("127.0.0.1", port), Receiver)


if __name__ == "__main__":
    secret = os.environ.get("WEBHOOK_SECRET")
    if not secret:
        sys.exit("set WEBHOOK_SECRET to the endpoint's secret (whsec_…)")
    server = make_server(
        int(os.environ.get("PORT") or 9090),
        secret,
        lambda event: print("verified", event["event"], event["id"], flush=True),
    )
    print(f"listening on http://127.0.0.1:{server.server_port}", file=sys.stderr)
    server.serve_forever()
