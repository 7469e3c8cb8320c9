# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Independent reading of what fastcn sees and sends: capture files, headers, checksums, notices.

Nothing here shares code with fastcn; only the Python standard library is used.
"""
