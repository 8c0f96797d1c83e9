/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change_test.c - what differs between two states of an object.
 */
#include "cli/change.h"

#include <stdlib.h>

#include "unit/cli/objects.h"

static const char *shown(kin_object *before, kin_object *after, size_t max)
{
    static text kept;
    kin__cli_changes changes;
    kin__cli_text out = { 0 };

    kin__cli_changes_find(before, after, &changes);
    kin__cli_changes_show(&changes, max, &out);
    text_clear(&kept);
    text_append(&kept, "%s", kin__cli_text_chars(&out));
    kin__cli_text_fini(&out);
    kin_object_unref(before);
    kin_object_unref(after);
    return kept.chars;
}

static void expect(const char *before, const char *after, const char *want)
{
    kin_object *from = named(before);

    ASSERT_STR_EQ(shown(from, named(after), 3), want);
}

TEST(change, is_told_with_path_and_values)
{
    expect("'status':{'phase':'Pending'}", "'status':{'phase':'Running'}",
           "status.phase Pending -> Running");
    expect("'a':{'n':1,'b':true}", "'a':{'n':2,'b':false}", "a.n 1 -> 2, a.b true -> false");
    expect("'a':'x'", "'a':''", "a x -> \"\"");
    expect("'a':'x'", "'a':null", "a x -> null");
    expect("'a':{'b':1}", "'a':5", "a {...} -> 5");
}

TEST(change, is_something_that_came_or_went)
{
    expect("'spec':{}", "'spec':{'nodeName':'n1'}", "+spec.nodeName n1");
    expect("'l':{'a':'1','b':'2'}", "'l':{'b':'2'}", "-l.a");
    expect("'l':{'b':'2'}", "'l':{'a':'1','b':'2'}", "+l.a 1");
    expect("", "'spec':{'a':{'b':1}}", "+spec.a.b 1");
    expect("'a':[]", "'a':[1]", "+a[0] 1");
    expect("'a':[1]", "'a':[]", "-a[0]");
    expect("", "'a':{}", "+a {}");
}

TEST(change, is_none_where_order_alone_differs)
{
    expect("'a':{'x':1,'y':2}", "'a':{'y':2,'x':1}", "");
    expect("'a':1.0", "'a':1", "");
    expect("'a':{'x':1,'y':2}", "'a':{'y':3,'x':1}", "a.y 2 -> 3");
}

TEST(change, leaves_out_what_every_write_changes)
{
    kin_object *before = object_of("{'metadata':{'name':'a','resourceVersion':'1','managedFields':"
                                   "[{'time':'x'}],'labels':{'resourceVersion':'1'}}}");
    kin_object *after = object_of("{'metadata':{'name':'a','resourceVersion':'2','managedFields':"
                                  "[],'labels':{'resourceVersion':'2'}}}");

    ASSERT_STR_EQ(shown(before, after, 3), "metadata.labels.resourceVersion 1 -> 2");
}

TEST(change, finds_elements_by_their_names)
{
    expect("'status':{'conditions':[{'type':'A','status':'x'},{'type':'Ready','status':'False'}]}",
           "'status':{'conditions':[{'type':'Ready','status':'True'},{'type':'A','status':'x'}]}",
           "status.conditions[Ready].status False -> True");
    expect("'spec':{'containers':[{'name':'a','image':'i:1'}]}",
           "'spec':{'containers':[{'name':'a','image':'i:2'},{'name':'b','image':'j'}]}",
           "spec.containers[a].image i:1 -> i:2, +spec.containers[b].image j, "
           "+spec.containers[b].name b");
    expect("'a':[1,2]", "'a':[1,3]", "a[1] 2 -> 3");
    expect("'a':[1,2]", "'a':[1,2,3]", "a [2] -> [3]");
}

TEST(change, puts_the_most_telling_first)
{
    expect("'status':{'lastTime':'1','message':'a','phase':'Pending','x':1}",
           "'status':{'lastTime':'2','message':'b','phase':'Running','x':2}",
           "status.phase Pending -> Running, status.x 1 -> 2, status.message a -> b, 1 more");
}

TEST(change, makes_little_of_what_says_nothing)
{
    expect("'status':{}",
           "'status':{'phase':'Running','cs':[{'name':'web','image':'i','restartCount':0,'ready':"
           "true,'lastState':{},'started':false,'message':''}]}",
           "+status.phase Running, +status.cs[web].ready true, 6 more");
}

TEST(change, shows_one_of_the_times_when_only_times_change)
{
    expect("'status':{'aTime':'1','bTime':'1','observedGeneration':1}",
           "'status':{'aTime':'2','bTime':'2','observedGeneration':2}",
           "status.aTime 1 -> 2, 2 more");
}

TEST(change, knows_whether_it_is_telling)
{
    kin_object *before = named("'a':1,'status':{'aTime':'1'}");
    kin_object *later = named("'a':1,'status':{'aTime':'2'}");
    kin_object *after = named("'a':2,'status':{'aTime':'2'}");
    kin__cli_changes changes;

    kin__cli_changes_find(before, later, &changes);
    ASSERT_FALSE(kin__cli_changes_are_telling(&changes));
    kin__cli_changes_find(before, after, &changes);
    ASSERT_TRUE(kin__cli_changes_are_telling(&changes));
    kin__cli_changes_find(before, before, &changes);
    ASSERT_FALSE(kin__cli_changes_are_telling(&changes));
    kin_object_unref(before);
    kin_object_unref(later);
    kin_object_unref(after);
}

TEST(change, makes_less_of_what_went)
{
    expect("'status':{'state':{'waiting':{'reason':'x'}},'started':false}",
           "'status':{'state':{'running':{'pid':1}},'started':true}",
           "+status.state.running.pid 1, status.started false -> true, "
           "-status.state.waiting.reason");
}

TEST(change, counts_what_is_not_shown)
{
    kin_object *before = named("'a':1,'b':1,'c':1,'d':1,'e':1,'f':1");
    kin_object *after = named("'a':2,'b':2,'c':2,'d':2,'e':2,'f':2");

    ASSERT_STR_EQ(shown(before, after, 2), "a 1 -> 2, b 1 -> 2, 4 more");
}

TEST(change, cuts_what_is_long_and_shows_it_safely)
{
    expect("'a':'x'", "'a':'0123456789012345678901234567890123456789012345678901234567890'",
           "a x -> 01234567890123456789012345678901234567890123...");
    expect("'a':'x'", "'a':'\\u001b[2J'", "a x -> ?[2J");
    expect("'m':{'a.b/c':'x'}", "'m':{'a.b/c':'y'}", "m[\"a.b/c\"] x -> y");
    expect("'m':{'\\u001b':'x'}", "'m':{'\\u001b':'y'}", "m.? x -> y");
}

/* Many members in another order each: told as a whole rather than looked up one by one. */
TEST(change, takes_bounded_time_for_what_is_large)
{
    static char before[400000];
    static char after[400000];
    size_t a =
        (size_t) snprintf(before, sizeof before, "{\"metadata\":{\"name\":\"x\"},\"data\":{");
    size_t b = (size_t) snprintf(after, sizeof after, "{\"metadata\":{\"name\":\"x\"},\"data\":{");
    kin_object *from = NULL;
    kin_object *to = NULL;
    kin_error err;
    for (int i = 0; i < 20000; i++) {
        const char *comma = i > 0 ? "," : "";
        a += (size_t) snprintf(before + a, sizeof before - a, "%s\"%d\":\"v\"", comma, i);
        b += (size_t) snprintf(after + b, sizeof after - b, "%s\"%d\":\"v\"", comma, 20000 - i);
    }
    a += (size_t) snprintf(before + a, sizeof before - a, "}}");
    b += (size_t) snprintf(after + b, sizeof after - b, "}}");
    ASSERT_OK(kin_object_from_json(before, a, NULL, &from, &err));
    ASSERT_OK(kin_object_from_json(after, b, NULL, &to, &err));

    ASSERT_STR_EQ(shown(from, to, 3), "data {...} -> {...}");
}

/* Deeper than it looks: the difference is told where it stops. */
TEST(change, stops_at_a_depth)
{
    text words = { 0 };
    text other = { 0 };
    for (int i = 0; i < 100; i++) {
        text_append(&words, "%s{'a':", i == 0 ? "'d':" : "");
    }
    other = words;
    text_append(&words, "1");
    text_append(&other, "2");
    for (int i = 0; i < 100; i++) {
        text_append(&words, "}");
        text_append(&other, "}");
    }
    kin_object *before = named(words.chars);

    ASSERT_CONTAINS(shown(before, named(other.chars), 3), ".a.a {...} -> {...}");
}
