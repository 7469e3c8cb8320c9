/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "credentials.h"

#include <string.h>
#include <unistd.h>

#include <gnutls/x509.h>

#define MAX_HANDSHAKE 32768 /* octets of a message of the handshake: certificates */

/* The one version of the protocol in which nobody who listens sees the certificates. */
#define PRIORITY "SECURE128:-VERS-ALL:+VERS-TLS1.3"

static int
complain(const char *option, const char *file, int rc)
{
	fprintf(stderr, "fastcn-qpd: %s %s: %s\n", option, file, gnutls_strerror(rc));
	return -1;
}

static int
load(struct credentials *c, const struct qpd_options *opt)
{
	int rc = gnutls_certificate_allocate_credentials(&c->x509);

	if (rc == 0)
		rc = gnutls_priority_init(&c->priority, PRIORITY, NULL);
	if (rc != 0)
		return complain("TLS", "1.3", rc);
	rc = gnutls_certificate_set_x509_trust_file(c->x509, opt->ca, GNUTLS_X509_FMT_PEM);
	if (rc <= 0)
		return complain("--ca", opt->ca, rc < 0 ? rc : GNUTLS_E_NO_CERTIFICATE_FOUND);
	if (opt->crl != NULL)
		rc = gnutls_certificate_set_x509_crl_file(c->x509, opt->crl, GNUTLS_X509_FMT_PEM);
	if (rc < 0)
		return complain("--crl", opt->crl, rc);
	/* GnuTLS does not say which of the two cannot be read. */
	if (access(opt->key, R_OK) != 0)
		return complain("--key", opt->key, GNUTLS_E_FILE_ERROR);
	rc = gnutls_certificate_set_x509_key_file(
			c->x509, opt->certificate, opt->key, GNUTLS_X509_FMT_PEM);
	return rc < 0 ? complain("--certificate and --key", opt->certificate, rc) : 0;
}

int
credentials_load(struct credentials *c, const struct qpd_options *opt)
{
	memset(c, 0, sizeof(*c));
	if (load(c, opt) == 0)
		return 0;
	credentials_free(c);
	return -1;
}

void
credentials_free(struct credentials *c)
{
	if (c->x509 != NULL)
		gnutls_certificate_free_credentials(c->x509);
	if (c->priority != NULL)
		gnutls_priority_deinit(c->priority);
	memset(c, 0, sizeof(*c));
}

gnutls_session_t
credentials_session(const struct credentials *c, int fd)
{
	/* A certificate of a switch must not speak for a host. GnuTLS does not write to it, and
	 * keeps the pointer. */
	static gnutls_typed_vdata_st purpose = {GNUTLS_DT_KEY_PURPOSE_OID,
			(unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT, 0};
	gnutls_session_t session;

	if (gnutls_init(&session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL |
						  GNUTLS_NO_TICKETS) != 0)
		return NULL;
	if (gnutls_priority_set(session, c->priority) != 0 ||
			gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, c->x509) != 0) {
		gnutls_deinit(session);
		return NULL;
	}
	gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
	gnutls_session_set_verify_cert2(session, &purpose, 1, 0);
	/* A host with the certificate of somebody else is to show it, so that the log can say so.
	 */
	gnutls_certificate_send_x509_rdn_sequence(session, 1);
	gnutls_handshake_set_max_packet_length(session, MAX_HANDSHAKE);
	gnutls_handshake_set_timeout(session, GNUTLS_INDEFINITE_TIMEOUT); /* the caller has one */
	gnutls_transport_set_int(session, fd);
	return session;
}

/* ---- what a certificate says ---- */

static bool
is_name(const char *name, size_t len)
{
	static const char letters[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";

	return len > 0 && len < HOSTS_NAME_SIZE && strlen(name) == len &&
	       strspn(name, letters) == len;
}

static bool
read_name(gnutls_x509_crt_t crt, struct hosts_peer *peer)
{
	size_t len = sizeof(peer->name);

	memset(peer->name, 0, sizeof(peer->name));
	return gnutls_x509_crt_get_dn_by_oid(
			       crt, GNUTLS_OID_X520_COMMON_NAME, 0, 0, peer->name, &len) == 0 &&
	       is_name(peer->name, len);
}

/* Take an address of the certificate. @return whether it is one, and there is room */
static bool
take_address(struct hosts_peer *peer, const uint8_t *octets, size_t len)
{
	uint8_t *to = peer->address[peer->n_addresses];

	if (peer->n_addresses == HOSTS_ADDRESSES || (len != 4 && len != 16))
		return false;
	if (len == 4)
		fcn_addr_map(octets, to);
	else
		memcpy(to, octets, 16);
	peer->n_addresses++;
	return true;
}

static bool
read_addresses(gnutls_x509_crt_t crt, struct hosts_peer *peer)
{
	uint8_t name[512];

	peer->n_addresses = 0;
	for (unsigned int i = 0;; i++) {
		size_t len = sizeof(name);
		const int type = gnutls_x509_crt_get_subject_alt_name(crt, i, name, &len, NULL);

		if (type == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
			return peer->n_addresses > 0;
		if (type == GNUTLS_SAN_IPADDRESS && !take_address(peer, name, len))
			return false;
		/* Names of other kinds say nothing here, whatever their length. */
		if (type < 0 && type != GNUTLS_E_SHORT_MEMORY_BUFFER)
			return false;
	}
}

enum credentials_lack
credentials_peer(gnutls_session_t session, struct hosts_peer *peer, time_t *expires)
{
	enum credentials_lack lack = CREDENTIALS_NO_NAME;
	unsigned int n;
	const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &n);
	gnutls_x509_crt_t crt;

	if (chain == NULL || n == 0 || gnutls_x509_crt_init(&crt) != 0)
		return lack;
	if (gnutls_x509_crt_import(crt, &chain[0], GNUTLS_X509_FMT_DER) == 0 &&
			read_name(crt, peer)) {
		lack = read_addresses(crt, peer) ? CREDENTIALS_COMPLETE : CREDENTIALS_NO_ADDRESS;
		*expires = gnutls_x509_crt_get_expiration_time(crt);
	}
	gnutls_x509_crt_deinit(crt);
	return lack;
}

void
credentials_why_not(gnutls_session_t session, char *text, size_t size)
{
	const unsigned int status = gnutls_session_get_verify_cert_status(session);
	gnutls_datum_t out;

	snprintf(text, size, "it is not valid");
	if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &out, 0) != 0)
		return;
	snprintf(text, size, "%s", out.data);
	gnutls_free(out.data);
}
