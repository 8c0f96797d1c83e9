/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/scale.h - the scale subresource: how many there are to be, of any kind that has a number.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_SCALE_H
#define KIN_SERVER_SCALE_H

#include "server/write.h"
#include "server/write_options.h"

/* The kind of it: autoscaling/v1 Scale. */
kin__codec_kind kin__scale_kind(void);

/* The Scale of an object, as a tree of its own; NULL when there is no memory.  A custom resource's
 * definition says where its numbers are. */
kin__node *kin__scale_of(const kin__served *served, const kin__node *object);

/* GET.  For read.c. */
bool kin__serve_scale_get(kin__asked *asked, kin__answer *answer, kin__refusal *no);

/* PUT. */
bool kin__serve_scale_update(kin__asked *asked, const kin__write_options *options,
                             kin__answer *answer, kin__refusal *no);

/* Writes the number of `scale` into `write->old`'s object, and answers with what comes of it.  The
 * scale's resource version is a precondition. */
bool kin__scale_write(kin__asked *asked, kin__write *write, const kin__node *scale,
                      kin__answer *answer, kin__refusal *no);

#endif /* KIN_SERVER_SCALE_H */
