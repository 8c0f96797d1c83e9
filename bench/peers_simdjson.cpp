/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers_simdjson.cpp - simdjson's DOM, for C.
 *
 * The only C++ here.  The bytes are padded and the parser is used again, as its manual advises,
 * so that it neither copies its input nor allocates.
 */
#include "peers.h"

#include <new>
#include <string>

#include <simdjson.h>

static_assert(simdjson::SIMDJSON_PADDING <= 64, "the documents have too little padding");

struct peer_simdjson {
    simdjson::dom::parser parser;
};

peer_simdjson *peer_simdjson_new(void)
{
    return new (std::nothrow) peer_simdjson;
}

void peer_simdjson_free(peer_simdjson *peer)
{
    delete peer;
}

const char *peer_simdjson_version(void)
{
    static const std::string text = std::to_string(simdjson::SIMDJSON_VERSION_MAJOR) + "." +
                                    std::to_string(simdjson::SIMDJSON_VERSION_MINOR) + "." +
                                    std::to_string(simdjson::SIMDJSON_VERSION_REVISION);
    return text.c_str();
}

const char *peer_simdjson_implementation(void)
{
    static const std::string name = simdjson::get_active_implementation()->name();
    return name.c_str();
}

uint64_t peer_simdjson_list(peer_simdjson *peer, const char *bytes, size_t len)
{
    simdjson::dom::array items;

    if (peer->parser.parse(bytes, len, false)["items"].get(items) != simdjson::SUCCESS) {
        return 0;
    }
    return items.size();
}

uint64_t peer_simdjson_field(peer_simdjson *peer, const char *bytes, size_t len, const char *part,
                             const char *name)
{
    std::string_view text;

    if (peer->parser.parse(bytes, len, false)[part][name].get(text) != simdjson::SUCCESS) {
        return 0;
    }
    return text.size();
}
