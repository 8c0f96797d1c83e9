/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin/kin.h - all of kinformer.
 *
 * In reading order: common.h (errors, strings, the words of ownership and threading),
 * object.h (what a program gets to see), value.h and path.h (reading its fields), key.h,
 * selector.h (choosing), edit.h (changing), config.h (which server, and as whom), client.h and
 * resource.h (asking it), informer.h (knowing it all the time), store.h (reading what it knows),
 * deleted.h (and what it knew a moment ago), registration.h (being told what changes), factory.h
 * (informers that a program shares), list_watcher.h (informers of something else than a server),
 * queue.h (the work that follows), controller.h (who does it), owner.h (who belongs to whom),
 * retry.h (to try again), events.h (to tell people), leader.h (one of several processes), loop.h
 * (what all work runs on).  Beside them log.h and metrics.h, and under sys/ what only some programs
 * need.
 */
#ifndef KIN_KIN_H
#define KIN_KIN_H

#include "kin/client.h"
#include "kin/common.h"
#include "kin/config.h"
#include "kin/controller.h"
#include "kin/deleted.h"
#include "kin/edit.h"
#include "kin/events.h"
#include "kin/factory.h"
#include "kin/informer.h"
#include "kin/key.h"
#include "kin/leader.h"
#include "kin/list_watcher.h"
#include "kin/log.h"
#include "kin/loop.h"
#include "kin/metrics.h"
#include "kin/object.h"
#include "kin/owner.h"
#include "kin/path.h"
#include "kin/queue.h"
#include "kin/registration.h"
#include "kin/resource.h"
#include "kin/retry.h"
#include "kin/selector.h"
#include "kin/store.h"
#include "kin/sys/allocator.h"
#include "kin/value.h"

#endif /* KIN_KIN_H */
