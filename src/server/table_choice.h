/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/table_choice.h - which columns an answer has, and what stands beside the cells.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_TABLE_CHOICE_H
#define KIN_SERVER_TABLE_CHOICE_H

#include "server/deed.h"
#include "server/table.h"

typedef struct kin__table_choice {
    const kin__columns *columns;
    kin__table_include include;
    kin_str api_version;  /* of meta.k8s.io, as it was asked for */
    kin__columns *custom; /* owned, for custom resources; else NULL */
} kin__table_choice;

/* By the request's resource, form and includeObject.  False with 400 when that is none, and without
 * memory.  Release with kin__table_choice_fini(). */
bool kin__table_choose(const kin__asked *asked, kin__table_choice *out, kin__refusal *no);
void kin__table_choice_fini(kin__table_choice *choice);
KIN__DEFINE_AUTO_FINI(kin__table_choice, kin__table_choice_fini)

#endif /* KIN_SERVER_TABLE_CHOICE_H */
