#!/usr/bin/env python3
"""A batch whose store is a bucket of a server that speaks as S3 does.

    object_storage.py KELLER SCRATCH

KELLER was built with `--features object-storage`; the interpreter needs moto[server,s3]; SCRATCH is a new folder.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import boto3

STREET = """usemtl concrete
v 0 0 0\nv 60 0 0\nv 60 40 0\nv 0 40 0\nf 1 2 3 4
v 10 10 0\nv 30 14 0\nv 30 14 9\nv 10 10 9\nf 5 6 7 8
"""


def scenario(masts: int) -> str:
    tx = "".join(f"[[tx]]\nposition = [{5 + 4 * k}, {3 + k}, {4 + 0.3 * k}]\n" for k in range(masts))
    return f"""frequency_hz = 3.5e9
[scene]
file = "street.obj"
{tx}[paths]
max_reflections = 2
[coverage]
engine = "points"
min = [0, 0]
max = [60, 40]
resolution = 0.3
heights = [1.5]
"""


def main() -> None:
    keller, scratch = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    scratch.mkdir(parents=True)
    (scratch / "street.obj").write_text(STREET)
    (scratch / "s.toml").write_text(scenario(4))
    (scratch / "t.toml").write_text(scenario(3))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    environment = os.environ | {
        "AWS_ENDPOINT": address,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    store = "s3://maps/a town"

    def start(*words: object) -> subprocess.Popen[str]:
        command = [str(word) for word in (keller, *words)]
        return subprocess.Popen(
            command, cwd=scratch, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def run(*words: object, code: int = 0) -> str:
        running = start(*words)
        out, err = running.communicate()
        assert running.returncode == code, f"{words}: {running.returncode}: {err}"
        return out + err

    try:
        for attempt in range(100):
            try:
                request = urllib.request.Request(f"{address}/maps", method="PUT")
                urllib.request.urlopen(request).close()
                break
            except OSError:
                assert attempt < 99, "the server does not answer"
                time.sleep(0.1)
        # Two planners of different plans at once: one is refused.
        planners = [start("batch", "plan", name, "-o", "s3://maps/race") for name in ("s.toml", "t.toml")]
        codes = sorted(planner.wait() for planner in planners)
        assert codes == [0, 2], codes
        print(run("batch", "plan", "s.toml", "-o", store, "--unit-size", 16384), end="")
        run("batch", "plan", "s.toml", "-o", store, "--unit-size", 16384)
        told = run("batch", "plan", "t.toml", "-o", store, code=2)
        assert "another batch" in told, told
        workers = [start("batch", "run", store, "--shard", f"{k}/2", "--threads", 1) for k in range(2)]
        assert [worker.wait() for worker in workers] == [0, 0]
        status = json.loads(run("batch", "status", store, "--json"))
        assert status["missing"] == [] and status["finished"] == 8, status
        print(run("batch", "verify", store), end="")
        run("batch", "collect", store, "-o", "batched.npz")
        run("coverage", "s.toml", "-o", "whole.npz", "--threads", 1)
        assert (scratch / "batched.npz").read_bytes() == (scratch / "whole.npz").read_bytes()
        # A torn object.
        bucket = boto3.client(
            "s3",
            endpoint_url=address,
            aws_access_key_id="key",
            aws_secret_access_key="secret",
            region_name="us-east-1",
        )
        place = {"Bucket": "maps", "Key": f"a town/units-{status['hash']}/000003.unit"}
        content = bucket.get_object(**place)["Body"].read()
        bucket.put_object(**place, Body=content[:-1] + b"?")
        told = run("batch", "verify", store, code=2)
        assert "damaged: 3;" in told, told
        run("batch", "verify", store, "--repair")
        assert "1 of 8 units computed" in run("batch", "run", store)
        told = run("batch", "status", "s3://maps/none", code=2)
        assert "this is no store of a batch" in told, told
        server.terminate()
        server.wait()
        begin = time.monotonic()
        told = run("batch", "status", store, code=3)
        print(f"without the server, after {time.monotonic() - begin:.0f} s: {told.strip()[:200]}")
    finally:
        server.kill()
    print("PASSED: the result has the bytes of a run without a store")


if __name__ == "__main__":
    main()
