/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deeds.c - what requests do, in the words of authorization.
 */
#include "server/deeds.h"

const char *kin__deed_name(kin__deed deed)
{
    switch (deed) {
    case KIN__DEED_GET:
        return "get";
    case KIN__DEED_LIST:
        return "list";
    case KIN__DEED_WATCH:
        return "watch";
    case KIN__DEED_CREATE:
        return "create";
    case KIN__DEED_UPDATE:
        return "update";
    case KIN__DEED_PATCH:
        return "patch";
    case KIN__DEED_DELETE:
        return "delete";
    case KIN__DEED_DELETE_COLLECTION:
        return "deletecollection";
    case KIN__DEED_PATH:
    case KIN__DEED_NONE:
        break;
    }
    return "";
}
