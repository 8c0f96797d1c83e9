/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/direct_list.h - many objects put at once: what kin_server_put_list() promises, on the
 * loop.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_DIRECT_LIST_H
#define KIN_SERVER_DIRECT_LIST_H

#include "server/deed.h"

/* Each item of a list, in order, as kin__put_direct(); those without a kind have the list's, less
 * "List".  `out_revision` is the newest of theirs, or the storage's when there are none.  False
 * with the first item that is refused (its number stands before the message), and with 400 for what
 * is no list. */
bool kin__put_list_direct(kin__engine *engine, kin_str json, uint64_t *out_revision,
                          kin__refusal *no);

#endif /* KIN_SERVER_DIRECT_LIST_H */
