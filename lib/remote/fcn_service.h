/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a service manager is told: datagrams to the socket that NOTIFY_SOCKET
 * names, as systemd's sd_notify(3) describes them. Without it nothing happens.
 */

#ifndef FCN_SERVICE_H
#define FCN_SERVICE_H

/**
 * Tell the service manager.
 *
 * @param state lines such as "READY=1"
 * @return 1: told; 0: there is no manager; or a negative errno. Never waits.
 */
int fcn_service_notify(const char *state);

#endif /* FCN_SERVICE_H */
