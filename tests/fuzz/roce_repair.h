/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#ifndef ROCE_REPAIR_H
#define ROCE_REPAIR_H

#include "fcn_icrc.h"

/**
 * Set the correct ICRC and checksum of a frame if it is RoCEv2, because random changes never do.
 */
void roce_repair(const struct fcn_crc32 *crc, uint8_t *data, uint32_t len);

#endif /* ROCE_REPAIR_H */
