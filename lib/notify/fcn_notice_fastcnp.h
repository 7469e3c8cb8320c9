/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Fast CNP as a kind of notice. It goes to the sender of the packet, with option 1 or option 2
 * (draft-xiao-rtgwg-rocev2-fast-cnp section 4). Its configuration is a struct
 * fcn_fastcnp_kind_conf.
 */

#ifndef FCN_NOTICE_FASTCNP_H
#define FCN_NOTICE_FASTCNP_H

#include "fcn_fastcnp_kind.h"
#include "fcn_notice_kind.h"

/* The verdicts that a Fast CNP was made, by its form. */
#define FCN_FASTCNP_SENT_OPT1 FCN_NOTIFY_SENT   /**< with option 1 */
#define FCN_FASTCNP_SENT_OPT2 FCN_NOTIFY_SENT_1 /**< with option 2 */
/** with option 1, as the packet's IOAM trace does not fit into option 2 */
#define FCN_FASTCNP_SENT_TOO_LONG FCN_NOTIFY_SENT_2
/** with option 1, as the route to the sender crosses the edge of the IOAM domain */
#define FCN_FASTCNP_SENT_EDGE FCN_NOTIFY_SENT_3

/** The functions, names and forms of this kind. */
extern const struct fcn_notice_kind fcn_notice_fastcnp;

#endif /* FCN_NOTICE_FASTCNP_H */
