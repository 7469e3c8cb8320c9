/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Messages to the service manager are datagrams to the socket that the environment variable
 * NOTIFY_SOCKET names, in the format of systemd's sd_notify(3). Without that variable nothing is
 * sent. Any thread may call the functions.
 */

#ifndef FCN_SERVICE_H
#define FCN_SERVICE_H

#include <stdint.h>

/**
 * Send a message to the service manager. This never waits.
 *
 * @param state lines such as "READY=1"
 * @return 1 if it was sent; 0 if there is no service manager; a negative errno on failure
 */
int fcn_service_notify(const char *state);

/**
 * Get the interval within which the service manager wants to see the message "WATCHDOG=1", from the
 * environment variables of sd_watchdog_enabled(3).
 *
 * @return milliseconds, at least 1; 0: it has no watchdog for this process
 */
uint64_t fcn_service_watchdog_ms(void);

#endif /* FCN_SERVICE_H */
