/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observer.c - an informer as the layers above see it: what it is about, and after each turn.
 */
#include <string.h>

#include "base/str.h"
#include "cache/version_wait.h"
#include "informer/informer.h"
#include "informer/informer_state.h"

static size_t source_of(const kin_informer *informer, kin_str key);
static kin_str namespace_of(kin_str key);

void kin__informer_observe(kin_informer *informer, kin__informer_observer *observer)
{
    kin__mutex_lock(&informer->lock);
    kin__list_push(&informer->observers, &observer->link);
    kin__mutex_unlock(&informer->lock);
}

void kin__informer_unobserve(kin_informer *informer, kin__informer_observer *observer)
{
    kin__mutex_lock(&informer->lock);
    kin__list_remove(&observer->link);
    kin__mutex_unlock(&informer->lock);
}

void kin__informer_tell_observers(kin_informer *informer)
{
    const kin_resource *now = kin__list_watch_resource(informer->sources[0].driver);

    kin__mutex_lock(&informer->lock);
    if (now != informer->found) {
        (void) kin_resource_unref(informer->found);
        informer->found = kin_resource_ref(now);
    }
    for (kin__link *link = kin__list_first(&informer->observers); link != NULL;
         link = kin__list_next(&informer->observers, link)) {
        const kin__informer_observer *observer = KIN__OWNER(link, kin__informer_observer, link);
        observer->fn(observer->context);
    }
    kin__mutex_unlock(&informer->lock);
}

const kin_resource *kin__informer_resource(kin_informer *informer)
{
    if (informer->options.of != NULL) {
        return kin_resource_ref(informer->options.of);
    }
    kin__mutex_lock(&informer->lock);
    const kin_resource *found = kin_resource_ref(informer->found);
    kin__mutex_unlock(&informer->lock);
    return found;
}

const kin_informer_options *kin__informer_options(const kin_informer *informer)
{
    return &informer->options;
}

const kin_client *kin__informer_client(const kin_informer *informer)
{
    return kin__caller_client(&informer->parts.caller);
}

bool kin__informer_has_namespace(const kin_informer *informer, kin_str ns)
{
    for (size_t i = 0; i < informer->source_count; i++) {
        const char *its = informer->sources[i].ns;
        if (its == NULL || kin__str_equal(kin_str_of(its), ns)) {
            return true;
        }
    }
    return false;
}

size_t kin__informer_source_count(const kin_informer *informer)
{
    return informer->source_count;
}

const char *kin__informer_namespace(const kin_informer *informer, size_t source)
{
    return informer->sources[source].ns;
}

bool kin__informer_has_seen(const kin_informer *informer, kin_str key, kin_str resource_version)
{
    kin__version_wait wait = { .key = key,
                               .resource_version = resource_version,
                               .source = source_of(informer, key) };
    kin_view view = kin_store_read(informer->store);
    bool is_over = kin__version_wait_is_over(&wait, &view);
    kin_store_done(&view);
    return is_over;
}

kin_str kin__informer_stands_at(const kin_informer *informer, kin_str key, char *buffer,
                                size_t size)
{
    kin_view view = kin_store_read(informer->store);
    kin_str version = kin_view_resource_version(&view, source_of(informer, key));
    size_t len = version.len <= size ? version.len : 0;

    if (len != 0) {
        memcpy(buffer, version.data, len);
    }
    kin_store_done(&view);
    return kin__str(buffer, len);
}

/* One source takes what comes; of several, each has its namespace. */
static size_t source_of(const kin_informer *informer, kin_str key)
{
    kin_str ns = namespace_of(key);

    for (size_t i = 0; informer->source_count > 1 && i < informer->source_count; i++) {
        if (kin__str_equal(kin_str_of(informer->sources[i].ns), ns)) {
            return i;
        }
    }
    return 0;
}

static kin_str namespace_of(kin_str key)
{
    const char *slash = key.len == 0 ? NULL : memchr(key.data, '/', key.len);

    return kin__str(key.data, slash == NULL ? 0 : (size_t) (slash - key.data));
}
