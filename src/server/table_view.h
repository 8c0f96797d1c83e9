/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/table_view.h - the events of one watch that asked for Tables.
 *
 * Each event is a Table of one row, and only the first has the columns: so frames are not shared.
 *
 * Threading: confined.
 */
#ifndef KIN_SERVER_TABLE_VIEW_H
#define KIN_SERVER_TABLE_VIEW_H

#include "server/frame.h"

typedef struct kin__table_view kin__table_view;

/* For the parameter includeObject (NULL: none).  False with 400 when it is none, and without
 * memory. */
bool kin__table_view_new(const kin__asked *asked, kin__table_view **out, kin__refusal *no);
void kin__table_view_free(kin__table_view *view); /* NULL is ignored */

/* Owned; NULL when there is no memory. */
kin__frame *kin__table_view_frame(kin__table_view *view, kin__event_type type,
                                  const kin_object *object);

#endif /* KIN_SERVER_TABLE_VIEW_H */
