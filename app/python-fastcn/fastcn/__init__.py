# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A client of fastcn switches: what their shows say, as Python values, over the control socket or over HTTP.

    import fastcn

    with fastcn.Console() as switch:                 # the socket of this machine's switch
        for queue in switch.queue(port="p1", class_=3):
            print(queue["occ_last"], queue["notices"])
        switch.command("set port p1 rate 10G")

    switch = fastcn.Http("http://127.0.0.1:9750")    # only shows and health
    print(switch.health(ports=["p1"]), switch.status()["forwarding"])

Values are those of `fastcnctl --json`, and their types are in fastcn.shows. Members may be added in later versions of
fastcn, and none disappears. Needs nothing but Python 3.11.
"""

from .client import CommandError, Console, Error, Health, Http, NoAnswer, connect, socket_path
from .shows import VERSION, Shows

__all__ = ["CommandError", "Console", "Error", "Health", "Http", "NoAnswer", "Shows", "VERSION", "connect", "socket_path"]
