/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/file_source.h - a token or PEM file that is read again when it changes.
 *
 * A token file is read again after 50 s, as client-go does (transport/token_source.go).  A PEM file
 * is looked at once in 10 s and read again when its device, inode, size or time of change is
 * another.  A file that cannot be read any more, or is empty or half written, leaves what was read
 * before in force and is tried again after 10 s.
 *
 * Threading: confined.
 */
#ifndef KIN_CONFIG_FILE_SOURCE_H
#define KIN_CONFIG_FILE_SOURCE_H

#include "config/machine.h"

#define KIN__FILE_BYTES_MAX ((size_t) 4 << 20)
#define KIN__TOKEN_FILE_MS 50000
#define KIN__PEM_FILE_MS 10000
#define KIN__FAILED_FILE_MS 10000

typedef enum kin__file_kind {
    KIN__FILE_TOKEN, /* without the white space around it; fit for a header */
    KIN__FILE_PEM
} kin__file_kind;

/* Made by kin__file_source_init(). */
typedef struct kin__file_source {
    const kin__machine *machine; /* borrowed */
    const char *path;            /* borrowed; NULL: no file, and nothing ever happens */
    const char *what;            /* borrowed: "token file", for messages */
    kin__file_kind kind;
    bool has_content;
    bool is_failing; /* the last attempt went wrong */
    bool is_stale;   /* read again at once */
    kin__file_state state;
    int64_t tried_ms;
    kin__vault vault;
    kin_str content; /* in the vault; terminated */
} kin__file_source;

void kin__file_source_init(kin__file_source *source, const kin__machine *machine,
                           kin__file_kind kind, const char *what, const char *path);
void kin__file_source_fini(kin__file_source *source);

/*
 * Reads the file if that is due.  `out_changed` says whether the content is another now.  Fails
 * with NOT_FOUND, SYSTEM, LIMIT, MALFORMED (empty, not a token, not PEM), NO_MEMORY; the message
 * names the file, and never quotes it.
 */
kin_err kin__file_source_refresh(kin__file_source *source, int64_t now_ms, bool *out_changed,
                                 kin_error *err) KIN_MUST_CHECK;

/* The next refresh reads it in any case. */
void kin__file_source_expire(kin__file_source *source);

#endif /* KIN_CONFIG_FILE_SOURCE_H */
