# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""How to talk to a switch."""

import http.client
import json
import os
import re
import socket
import time
import urllib.parse
from typing import Any, NamedTuple, Optional, Sequence, Union

from .shows import COMMANDS, Shows

Parameter = Union[str, int, bool, None]


class Error(Exception):
    """A request failed."""


class NoAnswer(Error):
    """No switch is there, or it did not answer in time."""


class CommandError(Error):
    """The switch refused the command, and changed nothing."""


class Health(NamedTuple):
    """What a probe says: whether the switch does its work, and lines with what does not."""

    ok: bool
    lines: list[str]

    def __bool__(self):
        return self.ok


def socket_path(name: str = "fastcn") -> str:
    """The socket of a switch by its name, as fastcn and fastcnctl find it."""
    if os.geteuid() == 0:
        return f"/run/fastcn/{name}.sock"
    directory = os.environ.get("XDG_RUNTIME_DIR")
    if not directory:
        raise NoAnswer("XDG_RUNTIME_DIR is not set: name the socket")
    return f"{directory}/fastcn/{name}.sock"


def _asked(parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    """Those that are given, with the names that the switch has: class_ is class."""
    return {name.rstrip("_"): value for name, value in parameters.items() if value is not None and value is not False}


def command_of(name: str, **parameters: Parameter) -> str:
    """The console's command for a show: command_of("queue", port="p1") is "show queue p1 json"."""
    known = name.replace(" ", "_").replace("-", "_")
    if known not in COMMANDS:
        raise CommandError(f"there is no show {name}")
    left = _asked(parameters)

    def words(group: re.Match[str]) -> str:
        argument = re.fullmatch(r"(?:([\w-]+) ?)?(?:<(\w+):\w+>)?", group[1])
        word, key = argument[1], argument[2]
        if word == "json":
            return "json"
        value = left.pop(word or key, None)
        if value is None:
            return ""
        if key is None:
            return word
        if re.search(r"\s", str(value)):
            raise CommandError(f"{word or key}: a blank in {value!r}")
        return f"{word or ''} {value}"

    line = re.sub(r"\[([^\]]*)\]", words, COMMANDS[known])
    if left:
        raise CommandError(f"show {name} has no parameter {', '.join(left)}")
    return " ".join(line.split())


class Console(Shows):
    """A session of a switch's console, over its UNIX socket (doc/remote.md)."""

    def __init__(self, path: Optional[str] = None, *, name: str = "fastcn", timeout: float = 5):
        path = path or socket_path(name)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(path)
        except OSError as e:
            self._socket.close()
            raise NoAnswer(f"{path}: {e.strerror or e}") from e
        self._file = self._socket.makefile("rb")

    def command(self, line: str) -> str:
        """Run a command. Returns what the console would print."""
        if "\n" in line:
            raise CommandError("a command is one line")
        try:
            self._socket.sendall(line.encode() + b"\n")
            head = self._file.readline().split()
            text = self._file.read(int(head[1])).decode() if len(head) == 2 else ""
        except OSError as e:
            raise NoAnswer(f"the switch did not answer: {e}") from e
        if len(head) != 2 or len(text.encode()) != int(head[1]):
            raise NoAnswer("the switch has ended the session")
        if head[0] != b"ok":
            raise CommandError(text.strip())
        return text

    def show(self, name: str, **parameters: Parameter) -> Any:
        return json.loads(self.command(command_of(name, **parameters)))

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Http(Shows):
    """The HTTP server of a switch, which `set metrics listen PORT` opens. It changes nothing."""

    def __init__(self, url: str = "http://127.0.0.1:9750", *, timeout: float = 5):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise NoAnswer(f"{url}: not an http URL")
        self._host, self._port, self._timeout = parts.hostname, parts.port or 80, timeout

    def _get(self, path: str) -> tuple[int, http.client.HTTPMessage, str]:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        except (OSError, http.client.HTTPException) as e:
            raise NoAnswer(f"{self._host}:{self._port}: {e}") from e
        finally:
            connection.close()

    def _get_json(self, path: str) -> tuple[Any, http.client.HTTPMessage]:
        """An answer that the switch puts off is asked for again until the time is over."""
        end = time.monotonic() + self._timeout
        while True:
            status, headers, text = self._get(path)
            if status == 200:
                return json.loads(text), headers
            if status != 503 or time.monotonic() > end:
                break
            time.sleep(min(float(headers.get("Retry-After", 1)), max(0.0, end - time.monotonic())) + 0.05)
        try:
            reason = json.loads(text)["error"]
        except (ValueError, KeyError):
            reason = text.strip()
        raise (NoAnswer if status == 503 else CommandError)(reason)

    def show(self, name: str, **parameters: Parameter) -> Any:
        asked = {key: 1 if value is True else value for key, value in _asked(parameters).items()}
        path = "/api/v1/show/" + urllib.parse.quote(name) + ("?" + urllib.parse.urlencode(asked) if asked else "")
        value, headers = self._get_json(path)
        # Long lists come in parts; who gave a limit wants no more than one.
        while "limit" not in asked and (more := re.search(r'<([^>]*)>; rel="next"', headers.get("Link", ""))):
            part, headers = self._get_json(more[1])
            value += part
        return value

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the shows."""
        return self._get_json("/api/v1/schema")[0]

    def health(self, ports: Sequence[str] = ()) -> Health:
        """Whether the switch does its work. @param ports those that have to work"""
        query = "?" + urllib.parse.urlencode({"ports": ",".join(ports)}) if ports else ""
        status, _, text = self._get("/healthz" + query)
        if status not in (200, 503):
            raise CommandError(text.strip())
        return Health(status == 200, [line for line in text.splitlines() if line != "ok"])

    def close(self) -> None:
        """Nothing is open between requests."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def connect(where: str = "fastcn", *, timeout: float = 5) -> Union[Console, Http]:
    """A switch by a URL, the path of its socket, or its name."""
    if "://" in where:
        return Http(where, timeout=timeout)
    if "/" in where:
        return Console(where, timeout=timeout)
    return Console(name=where, timeout=timeout)
