/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file The certificates of the switch, and what those of hosts say. */

#ifndef QPD_CREDENTIALS_H
#define QPD_CREDENTIALS_H

#include <time.h>

#include <gnutls/gnutls.h>

#include "hosts.h"
#include "options.h"

/** What all sessions share. */
struct credentials {
	gnutls_certificate_credentials_t x509;
	gnutls_priority_t priority;
};

/** Read the files of the options. Errors are written to stderr. @return 0 or -1 */
int credentials_load(struct credentials *c, const struct qpd_options *opt);
/** Sessions must have ended. */
void credentials_free(struct credentials *c);

/** Make the session of a connection, whose host has to show a certificate. @return NULL: no memory
 */
gnutls_session_t credentials_session(const struct credentials *c, int fd);

/** What a certificate lacks. */
enum credentials_lack {
	CREDENTIALS_COMPLETE,
	CREDENTIALS_NO_NAME,    /**< no common name, or one that is no name of a host */
	CREDENTIALS_NO_ADDRESS, /**< no IP address, or more than HOSTS_ADDRESSES */
};

/** Find out for whom a host speaks, once the handshake is over. @param expires result: when its
 * certificate ends */
enum credentials_lack credentials_peer(
		gnutls_session_t session, struct hosts_peer *peer, time_t *expires);

/** Say why a certificate was not believed. @return text, cut to size */
void credentials_why_not(gnutls_session_t session, char *text, size_t size);

#endif /* QPD_CREDENTIALS_H */
