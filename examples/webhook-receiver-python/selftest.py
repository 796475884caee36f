"""python3 selftest.py: checks verify() against the fixed vector next to this folder."""

import json
import pathlib

from receiver import Refused, verify

vector = json.loads((pathlib.Path(__file__).parent.parent / "webhook-vector.json").read_text("utf-8"))
BODY = vector["body"].encode()
NOW = int(vector["headers"]["webhook-timestamp"])


def check(change=None, body=BODY, secret=vector["secret"], now=NOW):
    verify(secret, {**vector["headers"], **(change or {})}, body, now)


def refused(why, *args, **kwargs):
    try:
        check(*args, **kwargs)
    except Refused:
        return
    raise SystemExit(f"python: accepted {why}")


check()
check({"webhook-signature": "v1,AAAA " + vector["headers"]["webhook-signature"]})
refused("a changed body", body=BODY + b" ")
refused("another secret", secret="whsec_AAAA")
refused("no hex signature", {"x-webhook-signature": None})
refused("no v1 signature", {"webhook-signature": None})
refused("another id", {"webhook-id": "x"})
refused("an attempt played back late", now=NOW + 301)
print("python: vector verified")
