# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Capture filters in Python, by libpcap itself, so that a check can see what a filtered input held."""

import ctypes
import ctypes.util

from . import capture

SNAPLEN = 262144


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint), ("instructions", ctypes.c_void_p)]


class _Header(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("microseconds", ctypes.c_long),
                ("caplen", ctypes.c_uint32), ("length", ctypes.c_uint32)]


def _library():
    name = ctypes.util.find_library("pcap")
    if name is None:
        raise OSError("libpcap is not installed")
    lib = ctypes.CDLL(name)
    lib.pcap_open_dead.restype = ctypes.c_void_p
    lib.pcap_geterr.restype = ctypes.c_char_p
    lib.pcap_geterr.argtypes = [ctypes.c_void_p]
    lib.pcap_close.argtypes = [ctypes.c_void_p]
    lib.pcap_compile.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Program), ctypes.c_char_p, ctypes.c_int,
                                 ctypes.c_uint32]
    lib.pcap_offline_filter.argtypes = [ctypes.POINTER(_Program), ctypes.POINTER(_Header), ctypes.c_char_p]
    lib.pcap_freecode.argtypes = [ctypes.POINTER(_Program)]
    return lib


def select(records, expression):
    """The records of an Ethernet capture that a BPF expression lets through."""
    lib = _library()
    handle = lib.pcap_open_dead(capture.ETHERNET, SNAPLEN)
    program = _Program()
    try:
        if lib.pcap_compile(handle, ctypes.byref(program), expression.encode(), 1, 0xFFFFFFFF):
            raise ValueError("filter %r: %s" % (expression, lib.pcap_geterr(handle).decode()))
        out = []
        for r in records:
            header = _Header(0, 0, len(r.data), r.length)
            if lib.pcap_offline_filter(ctypes.byref(program), ctypes.byref(header), r.data):
                out.append(r)
        lib.pcap_freecode(ctypes.byref(program))
        return out
    finally:
        lib.pcap_close(handle)
