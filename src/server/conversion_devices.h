/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/conversion_devices.h - the kinds of resource.k8s.io/v1beta1, and of v1, which is stored.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_CONVERSION_DEVICES_H
#define KIN_SERVER_CONVERSION_DEVICES_H

#include "json/tree.h"

/* A ResourceClaim, a ResourceClaimTemplate, a ResourceSlice, from v1beta1 to v1 and back.  False
 * when there is no memory: then some of it may be converted. */
bool kin__claim_to_stored(kin__node *tree) KIN_MUST_CHECK;
bool kin__claim_from_stored(kin__node *tree) KIN_MUST_CHECK;
bool kin__claim_template_to_stored(kin__node *tree) KIN_MUST_CHECK;
bool kin__claim_template_from_stored(kin__node *tree) KIN_MUST_CHECK;
bool kin__slice_to_stored(kin__node *tree) KIN_MUST_CHECK;
bool kin__slice_from_stored(kin__node *tree) KIN_MUST_CHECK;

#endif /* KIN_SERVER_CONVERSION_DEVICES_H */
