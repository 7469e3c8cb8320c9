/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 4
#define LINE 256

static int
find_protocol(const char *name)
{
	for (int i = 0; i < FCN_PNC_PROTOCOL_COUNT; i++)
		if (strcmp(name, fcn_pnc_protocol_name(i)) == 0)
			return i;
	return -1;
}

static int
find_algorithm(const char *name)
{
	for (int i = 0; i < FCN_PNC_AUTH_COUNT; i++)
		if (strcmp(name, fcn_pnc_algorithm_name(i)) == 0)
			return i;
	return -1;
}

/* Split a line. @return number of fields, at most FIELDS + 1 */
static unsigned int
split(char *line, char *field[FIELDS + 1])
{
	unsigned int n = 0;
	char *at = NULL;

	for (char *word = strtok_r(line, " \t\r\n", &at); word != NULL && n <= FIELDS;
			word = strtok_r(NULL, " \t\r\n", &at))
		field[n++] = word;
	return n;
}

/* Read a line. @return NULL, or what is wrong with it */
static const char *
read_line(char *line, struct fcn_pnc_auth *auth[FCN_PNC_PROTOCOL_COUNT])
{
	char *field[FIELDS + 1], *end;
	unsigned int n = split(line, field);
	int protocol, algorithm;
	struct fcn_pnc_key *key;
	const char *why;
	unsigned long id;

	if (n == 0 || field[0][0] == '#')
		return NULL;
	if (n != FIELDS)
		return "expected protocol, algorithm, key ID and secret";
	protocol = find_protocol(field[0]);
	if (protocol < 0 || auth[protocol] == NULL)
		return "the protocol is isis, ospf or ospf3";
	algorithm = find_algorithm(field[1]);
	if (algorithm < 0)
		return "the algorithm is password, md5, sha1, sha224, sha256, sha384 or sha512";
	id = strtoul(field[2], &end, 10);
	if (*end != '\0' || id > UINT16_MAX)
		return "a key ID is 0 to 65535";
	if (strlen(field[3]) > FCN_PNC_MAX_SECRET)
		return "a secret has 80 octets at most";
	if (auth[protocol]->n == FCN_PNC_MAX_KEYS)
		return "a protocol has 8 keys at most";
	key = &auth[protocol]->key[auth[protocol]->n++];
	*key = (struct fcn_pnc_key){.algorithm = (uint8_t)algorithm,
			.len = (uint8_t)strlen(field[3]),
			.id = (uint16_t)id};
	memcpy(key->secret, field[3], key->len);
	why = fcn_pnc_auth_why_not(auth[protocol], protocol);
	return why;
}

int
pnc_keys_read(const char *path, struct fcn_pnc_auth *auth[FCN_PNC_PROTOCOL_COUNT], char *error,
		size_t error_size)
{
	FILE *in = fopen(path, "re");
	const char *why = NULL;
	char line[LINE];
	unsigned int number = 0, n = 0;

	if (in == NULL) {
		snprintf(error, error_size, "%s", strerror(errno));
		return -1;
	}
	while (why == NULL && fgets(line, sizeof(line), in) != NULL) {
		number++;
		why = strchr(line, '\n') == NULL && !feof(in) ? "the line is too long"
							      : read_line(line, auth);
	}
	for (unsigned int i = 0; i < FCN_PNC_PROTOCOL_COUNT; i++)
		n += auth[i] != NULL ? auth[i]->n : 0;
	error[0] = '\0';
	if (why != NULL)
		snprintf(error, error_size, "line %u: %s", number, why);
	else if (ferror(in))
		snprintf(error, error_size, "%s", strerror(errno));
	else if (n == 0) /* without any, everything would be believed */
		snprintf(error, error_size, "there are no keys in it");
	fclose(in);
	return error[0] != '\0' ? -1 : 0;
}
