/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#ifndef REMOTE_SESSIONS_H
#define REMOTE_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

/**
 * Run a list of steps: consoles connect and disconnect, send parts of lines, read or do not read,
 * and time passes.
 */
void fuzz_sessions(const uint8_t *data, size_t size);

#endif /* REMOTE_SESSIONS_H */
