/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cells.c - cells of nodes, services, volumes and events, and what all cells are made of.
 */
#include "cli/cells.h"

#include <inttypes.h>
#include <string.h>

#include "cli/duration.h"
#include "cli/memory.h"

static void show_string(kin_value value, kin__cli_text *out);
static size_t join(kin_value array, const char *path, const char *separator, kin__cli_text *out);
static void show_port(kin_value port, kin__cli_text *out);
static const char *short_mode(kin_str mode);

void kin__cli_cell_name(const kin_object *object, int64_t now, kin__cli_text *out)
{
    (void) now;
    kin__cli_text_append(out, kin_object_name(object));
}

void kin__cli_cell_age(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_time time;

    if (kin_object_creation_time(object, &time)) {
        kin__cli_duration_show(now - time.seconds, out);
    } else {
        kin__cli_text_say(out, "<unknown>");
    }
}

void kin__cli_cell_node_status(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_str ready = kin__cli_condition(object, "Ready");
    bool is_ready = kin_str_equal(ready, kin_str_of("True"));
    bool is_closed = kin__cli_bool_at(kin_object_at(object, ""), "spec.unschedulable");

    (void) now;
    kin__cli_text_say(out, "%s%s",
                      is_ready        ? "Ready"
                      : ready.len > 0 ? "NotReady"
                                      : "Unknown",
                      is_closed ? ",SchedulingDisabled" : "");
}

/* Labels come in the order of their keys, so roles do. */
void kin__cli_cell_node_roles(const kin_object *object, int64_t now, kin__cli_text *out)
{
    const char prefix[] = "node-role.kubernetes.io/";
    const size_t len = sizeof prefix - 1;
    const char *separator = "";
    kin_str key;
    kin_str value;

    (void) now;
    for (size_t i = 0; kin_object_label_at(object, i, &key, &value); i++) {
        kin_str role = { NULL, 0 };
        if (key.len > len && memcmp(key.data, prefix, len) == 0) {
            role = (kin_str){ key.data + len, key.len - len };
        } else if (kin_str_equal(key, kin_str_of("kubernetes.io/role"))) {
            role = value;
        }
        if (role.len > 0) {
            kin__cli_text_say(out, "%s%.*s", separator, KIN_STR_ARG(role));
            separator = ",";
        }
    }
    if (separator[0] == '\0') {
        kin__cli_text_say(out, "<none>");
    }
}

void kin__cli_cell_service_external(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_value whole = kin_object_at(object, "");
    kin_str type = kin__cli_str_at(whole, "spec.type");
    bool is_balanced = kin_str_equal(type, kin_str_of("LoadBalancer"));
    kin_value ingress = kin_object_at(object, "status.loadBalancer.ingress");
    size_t count = 0;

    (void) now;
    if (kin_str_equal(type, kin_str_of("ExternalName"))) {
        kin__cli_text_append(out, kin__cli_str_at(whole, "spec.externalName"));
        return;
    }
    if (is_balanced) {
        count = join(ingress, "ip", ",", out);
        count += count == 0 ? join(ingress, "hostname", ",", out) : 0;
    }
    if (kin_value_count(kin_object_at(object, "spec.externalIPs")) > 0) {
        kin__cli_text_say(out, "%s", count > 0 ? "," : "");
        count += join(kin_object_at(object, "spec.externalIPs"), "", ",", out);
    }
    if (count == 0) {
        kin__cli_text_say(out, "%s", is_balanced ? "<pending>" : "<none>");
    }
}

void kin__cli_cell_service_ports(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_iter iter = kin_value_iter(kin_object_at(object, "spec.ports"));
    const char *separator = "";

    (void) now;
    while (kin_iter_next(&iter)) {
        kin__cli_text_say(out, "%s", separator);
        show_port(iter.value, out);
        separator = ",";
    }
    if (separator[0] == '\0') {
        kin__cli_text_say(out, "<none>");
    }
}

void kin__cli_cell_data_count(const kin_object *object, int64_t now, kin__cli_text *out)
{
    (void) now;
    kin__cli_text_say(out, "%zu",
                      kin_value_count(kin_object_at(object, "data")) +
                          kin_value_count(kin_object_at(object, "binaryData")));
}

/* "RWO,ROX", of a volume, or of a claim once it is bound. */
void kin__cli_cell_access_modes(const kin_object *object, int64_t now, kin__cli_text *out)
{
    bool is_claim = kin_str_equal(kin_object_kind(object), kin_str_of("PersistentVolumeClaim"));
    kin_iter iter =
        kin_value_iter(kin_object_at(object, is_claim ? "status.accessModes" : "spec.accessModes"));
    const char *separator = "";

    (void) now;
    while (kin_iter_next(&iter)) {
        kin_str mode = kin__cli_str_at(iter.value, "");
        kin__cli_text_say(out, "%s%s", separator, short_mode(mode));
        separator = ",";
    }
}

/* Of volumes and claims: their phase, unless they are going. */
void kin__cli_cell_claim_status(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_time time;
    bool is_deleted = kin_object_deletion_time(object, &time);

    (void) now;
    kin__cli_text_append(out, is_deleted
                                  ? kin_str_of("Terminating")
                                  : kin__cli_str_at(kin_object_at(object, ""), "status.phase"));
}

void kin__cli_cell_volume_claim(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_value claim = kin_object_at(object, "spec.claimRef");

    (void) now;
    if (kin_value_type(claim) == KIN_TYPE_OBJECT) {
        kin_str ns = kin__cli_str_at(claim, "namespace");
        kin_str name = kin__cli_str_at(claim, "name");
        kin__cli_text_say(out, "%.*s/%.*s", KIN_STR_ARG(ns), KIN_STR_ARG(name));
    }
}

/* An event has one of several times, by who wrote it and how often it was seen. */
void kin__cli_cell_event_seen(const kin_object *object, int64_t now, kin__cli_text *out)
{
    static const char *const paths[] = {
        "series.lastObservedTime", "lastTimestamp",
        "deprecatedLastTimestamp", "eventTime",
        "firstTimestamp",          "deprecatedFirstTimestamp",
    };

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (kin__cli_show_since(kin_object_at(object, paths[i]), now, out)) {
            return;
        }
    }
    kin__cli_text_say(out, "<unknown>");
}

/* "pod/web-0"; events.k8s.io has another name for it. */
void kin__cli_cell_event_object(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_value about = kin_object_at(object, "involvedObject");
    if (!kin_value_exists(about)) {
        about = kin_object_at(object, "regarding");
    }
    kin_str kind = kin__cli_str_at(about, "kind");
    kin_str name = kin__cli_str_at(about, "name");

    (void) now;
    for (size_t i = 0; i < kind.len; i++) {
        char c = kind.data[i];
        kin__cli_text_say(out, "%c", c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    if (name.len > 0) {
        kin__cli_text_say(out, "/%.*s", KIN_STR_ARG(name));
    }
}

void kin__cli_cell_role_reference(const kin_object *object, int64_t now, kin__cli_text *out)
{
    kin_value role = kin_object_at(object, "roleRef");
    kin_str kind = kin__cli_str_at(role, "kind");
    kin_str name = kin__cli_str_at(role, "name");

    (void) now;
    kin__cli_text_say(out, "%.*s/%.*s", KIN_STR_ARG(kind), KIN_STR_ARG(name));
}

/* ---- what they are made of --------------------------------------------------------------- */

bool kin__cli_value_show(kin_value value, kin__cli_text *out)
{
    kin_type type = kin_value_type(value);
    char *json = NULL;
    size_t len = 0;

    if (type == KIN_TYPE_MISSING || type == KIN_TYPE_NULL) {
        return false;
    }
    if (type == KIN_TYPE_STRING) {
        show_string(value, out);
    } else if (kin_value_json(value, &json, &len, NULL) == KIN_OK) {
        kin__cli_text_append(out, (kin_str){ json, len });
        kin_free(json);
    }
    return true;
}

kin_str kin__cli_str_at(kin_value value, const char *path)
{
    kin_str text = { NULL, 0 };

    if (kin_value_str(kin_value_at(value, path), NULL, 0, &text) != KIN_OK) {
        return (kin_str){ "", 0 };
    }
    return text;
}

int64_t kin__cli_number_at(kin_value value, const char *path)
{
    int64_t number = 0;

    return kin_value_int64(kin_value_at(value, path), &number) == KIN_OK ? number : 0;
}

bool kin__cli_bool_at(kin_value value, const char *path)
{
    bool answer = false;

    return kin_value_bool(kin_value_at(value, path), &answer) == KIN_OK && answer;
}

bool kin__cli_show_since(kin_value time, int64_t now, kin__cli_text *out)
{
    kin_time moment;

    if (kin_value_time(time, &moment) != KIN_OK) {
        return false;
    }
    kin__cli_duration_show(now - moment.seconds, out);
    return true;
}

kin_str kin__cli_condition(const kin_object *object, const char *type)
{
    char path[96];

    snprintf(path, sizeof path, "status.conditions[?type==\"%s\"].status", type);
    return kin__cli_str_at(kin_object_at(object, path), "");
}

/* ---- inside ------------------------------------------------------------------------------- */

static void show_string(kin_value value, kin__cli_text *out)
{
    size_t size = kin_value_scratch_size(value);
    char *scratch = size > 0 ? kin__cli_alloc(size, 1) : NULL;
    kin_str text;

    if (kin_value_str(value, scratch, size, &text) == KIN_OK) {
        kin__cli_text_append(out, text);
    }
    kin__cli_free(scratch);
}

/* How many had something at `path`. */
static size_t join(kin_value array, const char *path, const char *separator, kin__cli_text *out)
{
    kin_iter iter = kin_value_iter(array);
    size_t count = 0;

    while (kin_iter_next(&iter)) {
        kin_str part = kin__cli_str_at(iter.value, path);
        if (part.len > 0) {
            kin__cli_text_say(out, "%s%.*s", count > 0 ? separator : "", KIN_STR_ARG(part));
            count++;
        }
    }
    return count;
}

/* "80/TCP", "80:30080/TCP". */
static void show_port(kin_value port, kin__cli_text *out)
{
    kin_str protocol = kin__cli_str_at(port, "protocol");
    int64_t on_node = kin__cli_number_at(port, "nodePort");

    kin__cli_text_say(out, "%" PRId64, kin__cli_number_at(port, "port"));
    if (on_node > 0) {
        kin__cli_text_say(out, ":%" PRId64, on_node);
    }
    kin__cli_text_say(out, "/%.*s", KIN_STR_ARG(protocol));
}

static const char *short_mode(kin_str mode)
{
    return kin_str_equal(mode, kin_str_of("ReadWriteOnce"))      ? "RWO"
           : kin_str_equal(mode, kin_str_of("ReadOnlyMany"))     ? "ROX"
           : kin_str_equal(mode, kin_str_of("ReadWriteMany"))    ? "RWX"
           : kin_str_equal(mode, kin_str_of("ReadWriteOncePod")) ? "RWOP"
                                                                 : "?";
}
