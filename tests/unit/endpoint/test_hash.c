/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The hash table of an endpoint, against an array that is searched from its beginning. */

#include "endpoint_hash.h"
#include "fcn_random.h"
#include "fcn_test.h"

#define KEYS 64
#define STEPS 200000

/* Keys of few different values come and go at random, up to as many as there is room for. */
TEST(random)
{
	struct fcn_random random = {.state = 7};
	struct endpoint_hash h;
	void *model[2 * KEYS] = {NULL};
	unsigned int n = 0, full = 0;
	uint64_t key;

	assert_int_equal(endpoint_hash_init(&h, KEYS, sizeof(key)), 0);
	for (unsigned int i = 0; i < STEPS; i++) {
		const uint32_t k = fcn_random32(&random) % RTE_DIM(model);

		key = k * UINT64_C(0x100000001);
		assert_ptr_equal(endpoint_hash_find(&h, &key), model[k]);
		if (model[k] != NULL) {
			endpoint_hash_remove(&h, &key);
			model[k] = NULL;
			n--;
		} else if (n < KEYS) {
			model[k] = &model[i % RTE_DIM(model)];
			endpoint_hash_add(&h, &key, model[k]);
			n++;
		} else {
			endpoint_hash_remove(&h, &key); /* which is not in the table */
		}
		full += n == KEYS;
	}
	assert_true(full > 0);
	for (uint32_t k = 0; k < RTE_DIM(model); k++) {
		key = k * UINT64_C(0x100000001);
		assert_ptr_equal(endpoint_hash_find(&h, &key), model[k]);
	}
	endpoint_hash_fini(&h);
}

/* A table for one key has room for it. */
TEST(one)
{
	struct endpoint_hash h;
	uint8_t key[ENDPOINT_HASH_KEY_MAX] = {1}, other[ENDPOINT_HASH_KEY_MAX] = {2};

	assert_int_equal(endpoint_hash_init(&h, 1, sizeof(key)), 0);
	assert_null(endpoint_hash_find(&h, key));
	endpoint_hash_add(&h, key, key);
	assert_ptr_equal(endpoint_hash_find(&h, key), key);
	assert_null(endpoint_hash_find(&h, other));
	endpoint_hash_remove(&h, other);
	endpoint_hash_remove(&h, key);
	assert_null(endpoint_hash_find(&h, key));
	endpoint_hash_fini(&h);
}
