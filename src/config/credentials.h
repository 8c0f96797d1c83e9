/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config/credentials.h - as whom the next request goes out.
 *
 * A state machine on a configuration: it knows which files to read again and when, when an exec
 * plugin has to run, and what a 401 means for what it holds.  It runs nothing and waits for
 * nothing: it says what is to be done, and is told how that went.  Time is what the caller says it
 * is.
 *
 * Secrets lie only in memory from base/alloc.h that is overwritten before it is released.
 *
 * Threading: confined (to the loop of its client).
 */
#ifndef KIN_CONFIG_CREDENTIALS_H
#define KIN_CONFIG_CREDENTIALS_H

#include "base/clock.h"
#include "kin/config.h"
#include "kin/log.h"

typedef struct kin__credentials kin__credentials;

/* `config` is referenced, `clock` borrowed until free, `logger` copied (it is told of files that
 * cannot be read again).  Fails with NO_MEMORY. */
kin_err kin__credentials_new(const kin_config *config, const kin__clock *clock,
                             const kin_logger *logger, kin__credentials **out,
                             kin_error *err) KIN_MUST_CHECK;
void kin__credentials_free(kin__credentials *credentials);

/* What a request needs.  Borrowed until the next call on the credentials. */
typedef struct kin__credential {
    const char *const *headers; /* "Authorization: ...", "Impersonate-User: ..."; ends with NULL */
    kin_str ca;                 /* PEM; empty: what the system trusts */
    kin_str certificate;        /* PEM; empty: none */
    kin_str key;
    uint64_t tls_version; /* another number whenever ca, certificate or key is another */
    uint64_t version;     /* another number whenever anything is */
} kin__credential;

typedef enum kin__credentials_state {
    KIN__CREDENTIALS_READY,  /* `out` is set */
    KIN__CREDENTIALS_PLUGIN, /* run the plugin (kin__credentials_plugin()), tell how it went, ask
                                again; while it runs, asking again gives this answer too */
    KIN__CREDENTIALS_FAILED  /* `err` is set; asking again later may go better */
} kin__credentials_state;

/*
 * Reads what files are due: a token file again after 50 s, certificates, keys and the CA when their
 * size, inode or time of change is another, looked at once in 10 s (config/file_source.h).  A file
 * that cannot be read any more, or is empty or half written, leaves what was read before in force,
 * and the logger is told once; one that never could be read is FAILED, with its name.
 *
 * A plugin's credential is good until its expiry has passed or the server refused it.  One that has
 * expired when it comes (by our clock, which may be wrong) is used all the same, for the pause of a
 * failed plugin.  To a server without https nothing goes out but impersonation: no file is read and
 * no plugin is run.
 */
kin__credentials_state kin__credentials_get(kin__credentials *credentials, kin__credential *out,
                                            kin_error *err);

/* How to run the plugin: without a shell.  Borrowed until kin__credentials_plugin_ended(). */
typedef struct kin__plugin_command {
    const char *const *arguments;   /* [0] is the program; ends with NULL */
    const char *const *environment; /* all of it, KUBERNETES_EXEC_INFO included; ends with NULL */
    uint32_t timeout_ms;
} kin__plugin_command;

/* After KIN__CREDENTIALS_PLUGIN; true for the one caller who is to run it, false while it runs.
 * Fails with NO_MEMORY. */
kin_err kin__credentials_plugin(kin__credentials *credentials, bool *out_run,
                                kin__plugin_command *out, kin_error *err) KIN_MUST_CHECK;

/*
 * How it went.  `run_error` is NULL when it ended by itself, with exit `status`; else why it could
 * not be run or did not end.  `output` and `errors` are borrowed.  What is wrong (a status other
 * than 0, an answer that is no ExecCredential) is the next get's FAILED: the message has what the
 * plugin wrote to standard error, and its installHint when the program does not exist; never its
 * output.  After a failure it is run again only when 1 s has passed, doubling up to 30 s.
 */
void kin__credentials_plugin_ended(kin__credentials *credentials, const kin_error *run_error,
                                   int status, kin_str output, kin_str errors);

/*
 * The server said 401 to a request that went out with `version`.  True when it is worth to ask
 * again at once, because something is another now or will be: what `version` was is replaced
 * already, a token or certificate file was read again and is another, or the plugin runs again.
 * False when nothing has changed.
 *
 * A plugin's credential that is refused before it is 10 s old says that the plugin is at fault:
 * then it stays in use, and the plugin runs again only after the pause of a failed one.
 */
bool kin__credentials_refused(kin__credentials *credentials, uint64_t version);

#endif /* KIN_CONFIG_CREDENTIALS_H */
