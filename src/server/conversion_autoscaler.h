/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/conversion_autoscaler.h - HorizontalPodAutoscalers of autoscaling/v1, and of v2, which is
 * stored.
 *
 * Threading: pure functions.
 */
#ifndef KIN_SERVER_CONVERSION_AUTOSCALER_H
#define KIN_SERVER_CONVERSION_AUTOSCALER_H

#include "json/tree.h"

/* From v1 to v2 and back; `tree` is an object as the codec decoded it, or as it is stored.  False
 * when there is no memory: then some of it may be converted. */
bool kin__autoscaler_to_stored(kin__node *tree) KIN_MUST_CHECK;
bool kin__autoscaler_from_stored(kin__node *tree) KIN_MUST_CHECK;

/* An object of v2 has no annotations that are v1's members.  Always true. */
bool kin__autoscaler_drop_notes(kin__node *tree);

#endif /* KIN_SERVER_CONVERSION_AUTOSCALER_H */
