/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Messages to the service manager: datagrams to the socket that the environment variable
 * NOTIFY_SOCKET names, in the format of systemd's sd_notify(3). Without that variable nothing is
 * sent.
 */

#ifndef FCN_SERVICE_H
#define FCN_SERVICE_H

/**
 * Send a message to the service manager. Never waits.
 *
 * @param state lines such as "READY=1"
 * @return 1: it was sent; 0: there is no service manager; or a negative errno
 */
int fcn_service_notify(const char *state);

#endif /* FCN_SERVICE_H */
