"""Hosts that tools/testnet makes on this machine, for programs that measure between them."""

import os
import subprocess
import sys

CANNOT = 77  # what testnet ends with where a machine cannot do it


class Refusal(Exception):
    """Why nothing can be measured here, and the code to end with."""

    def __init__(self, sentence, code=1):
        super().__init__(sentence)
        self.code = code


class Hosts:
    """`count` hosts, h0 and on, until the end of the `with` statement. `testnet` is tools/testnet; `programs` a folder that all have to see."""

    def __init__(self, testnet, count, programs):
        self.count = count
        self.testnet = [sys.executable, testnet]
        # Hosts have folders of their own where many programs see one.
        share = ["--share", programs] if programs.startswith(("/tmp/", "/run/", "/dev/shm/")) else []
        self.process = subprocess.Popen([*self.testnet, str(count), *share], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line.startswith("export TESTNET="):
            error = self.process.communicate()[1].strip()
            raise Refusal(error, CANNOT if self.process.returncode == CANNOT else 1)
        self.folder = line.split("=", 1)[1].strip()
        self.agent = os.path.join(self.folder, "rsh")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate()

    def run(self, host, *words, otherwise=1):
        """A command on a host, to its end. Refusal with the code `otherwise` if it fails."""
        environment = {**os.environ, "TESTNET": self.folder}
        done = subprocess.run([*self.testnet, "exec", f"h{host}", *words], env=environment, text=True, capture_output=True, check=False,
                              timeout=600, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise Refusal(f"{' '.join(words[:3])} ... on h{host}: {done.stderr.strip() or done.returncode}", otherwise)
        return done

    def shape(self, host, lines):
        """Commands for tc that say how fast the host may send."""
        self.run(host, "sh", "-c", "printf '%s\\n' \"$@\" | tc -batch -", "sh", *lines, otherwise=CANNOT)
