/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/names.h - names as people and controllers give them.
 */
#ifndef KIN_SIMULATE_NAMES_H
#define KIN_SIMULATE_NAMES_H

#include <stdint.h>

#define KIN__SIM_SUFFIX_LEN 5
#define KIN__SIM_HASH_MAX 10
#define KIN__SIM_NAMESPACE_SIZE 24
#define KIN__SIM_APP_SIZE 36

/* The name of namespace `index`; no two are equal. */
void kin__sim_namespace_name(uint32_t index, char out[KIN__SIM_NAMESPACE_SIZE]);

/* The name of deployment `index`; no two are equal. */
void kin__sim_app_name(uint32_t index, char out[KIN__SIM_APP_SIZE]);

/* What the API server puts behind a generateName, from a number that was drawn: five of the 27
 * characters that make no words (k8s.io/apimachinery/pkg/util/rand).  Terminated. */
void kin__sim_suffix(uint64_t drawn, char out[KIN__SIM_SUFFIX_LEN + 1]);

/* The hash of a pod template as the deployment controller writes it: the decimal digits of 32 bits,
 * each as one of those characters.  Terminated. */
void kin__sim_template_hash(uint32_t hash, char out[KIN__SIM_HASH_MAX + 1]);

#endif /* KIN_SIMULATE_NAMES_H */
