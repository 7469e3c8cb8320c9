/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What the files of `fastcn-pnc encode` share. */

#ifndef PNC_ENCODE_H
#define PNC_ENCODE_H

#include <stdint.h>
#include <stdio.h>

#include "fcn_command.h"

/** What the functions of commands get. */
struct fcn_session {
	FILE *out;
};

/** Write bytes as a line of hexadecimal digits. */
void encode_put_hex(FILE *out, const uint8_t *data, size_t len);

/**
 * Read a number.
 *
 * @param value the default before, the number afterwards
 * @return 0 or -ERANGE
 */
int encode_number(const struct fcn_args *args, const char *key, uint64_t most, uint64_t *value);

/** Run the commands isis, ospf and ospf3, whose data is their enum fcn_pnc_protocol. */
int encode_igp(struct fcn_session *session, const struct fcn_args *args);

#endif /* PNC_ENCODE_H */
