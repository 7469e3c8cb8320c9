/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Path identifiers of packets that this switch has put into a tunnel
 * (draft-wh-rtgwg-adaptive-routing-arn). A segment list may have one. Packets do not carry it: it
 * is found by the outer headers, which are those of the segment list as long as the packet is in
 * the switch. So nothing has to be remembered for packets that meet no congestion.
 */

#ifndef FCN_PATH_ID_H
#define FCN_PATH_ID_H

#include "fcn_srv6_conf.h"

/** Make segment lists with a path identifier known to fcn_path_id_find(). */
void fcn_path_id_index(struct fcn_srv6_conf *conf);

/**
 * Find the path identifier of a packet by its outer headers: source, destination and segments.
 * Where several segment lists have the same headers, the first one counts.
 *
 * @param ip      the outermost header, IPv6
 * @param len     bytes readable at ip
 * @param path_id written if the result is true, host byte order
 * @return false: it has none, or this switch did not put the packet into its tunnel
 */
bool fcn_path_id_find(const struct fcn_srv6_conf *conf, const uint8_t *ip, uint32_t len,
		uint32_t *path_id);

#endif /* FCN_PATH_ID_H */
