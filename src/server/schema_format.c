/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_format.c - formats of texts in schemas.
 *
 * Those of kube-openapi's strfmt that a pattern can tell, and that clients meet.  A dash in the
 * name of one does not count there.  Days are not counted by month.
 */
#include "server/schema_format.h"

#include "base/str.h"

#define DATE "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
#define BYTE "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
#define HEX "[0-9a-fA-F]"
#define LABEL "[a-z0-9]([-a-z0-9]*[a-z0-9])?"

static const struct {
    const char *format, *pattern;
} formats[] = {
    { "date", "^" DATE "$" },
    { "datetime", "^" DATE "[tT]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?"
                  "([zZ]|[+-][0-9]{2}:[0-9]{2})$" },
    { "ipv4", "^" BYTE "(\\." BYTE "){3}$" },
    { "uuid", "^" HEX "{8}-?" HEX "{4}-?" HEX "{4}-?" HEX "{4}-?" HEX "{12}$" },
    { "uuid3", "^" HEX "{8}-?" HEX "{4}-?3" HEX "{3}-?" HEX "{4}-?" HEX "{12}$" },
    { "uuid4", "^" HEX "{8}-?" HEX "{4}-?4" HEX "{3}-?[89abAB]" HEX "{3}-?" HEX "{12}$" },
    { "uuid5", "^" HEX "{8}-?" HEX "{4}-?5" HEX "{3}-?[89abAB]" HEX "{3}-?" HEX "{12}$" },
    { "hexcolor", "^#?(" HEX "{3}|" HEX "{6})$" },
    { "byte", "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$" },
    { "k8sshortname", "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" },
    { "k8slongname", "^" LABEL "(\\." LABEL ")*$" },
};

static bool is_named(kin_str format, kin_str name);

const char *kin__schema_format(kin_str format)
{
    for (size_t i = 0; format.len > 0 && i < sizeof formats / sizeof *formats; i++) {
        if (is_named(format, kin_str_of(formats[i].format))) {
            return formats[i].pattern;
        }
    }
    return NULL;
}

/* Dashes aside. */
static bool is_named(kin_str format, kin_str name)
{
    size_t at = 0;

    for (size_t i = 0; i < format.len; i++) {
        if (format.data[i] == '-') {
            continue;
        }
        if (at == name.len || format.data[i] != name.data[at]) {
            return false;
        }
        at++;
    }
    return at == name.len;
}
