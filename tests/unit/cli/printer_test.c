/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer_test.c - rows of cells, in columns.
 */
#include "cli/printer.h"

#include "support/test.h"

static kin__cli_printer printer;
static kin__cli_text out;

static void add(const char *cell)
{
    kin__cli_printer_add(&printer, kin_str_of(cell));
}

static void expect(const char *want)
{
    kin__cli_printer_write(&printer, &out);
    ASSERT_STR_EQ(kin__cli_text_chars(&out), want);
    kin__cli_text_clear(&out);
}

static void finish(void)
{
    kin__cli_printer_fini(&printer);
    kin__cli_text_fini(&out);
}

TEST(printer, makes_columns_as_wide_as_their_widest_cell)
{
    kin__cli_printer_init(&printer, 2);
    add("NAME");
    add("AGE");
    add("web-0-long");
    add("5s");

    expect("NAME         AGE\nweb-0-long   5s\n");
    finish();
}

TEST(printer, puts_later_rows_below_earlier_ones)
{
    kin__cli_printer_init(&printer, 2);
    add("long name");
    add("x");
    expect("long name   x\n");
    add("a");
    add("y");

    expect("a           y\n");
    expect("");
    finish();
}

TEST(printer, ends_no_line_with_blanks)
{
    kin__cli_printer_init(&printer, 3);
    add("a");
    add("");
    add("");
    add("a");
    add("");
    add("c");

    expect("a\na      c\n");
    finish();
}

TEST(printer, counts_characters_not_bytes)
{
    kin__cli_printer_init(&printer, 2);
    add("gr\xc3\xbc\xc3\x9f");
    add("1");
    add("abcd");
    add("2");

    expect("gr\xc3\xbc\xc3\x9f   1\nabcd   2\n");
    finish();
}

TEST(printer, shows_cells_of_others_safely_and_on_one_line)
{
    kin__cli_printer_init(&printer, 1);
    add("\x1b[31mred");
    add("first\nsecond");

    expect("?[31mred\nfirst...\n");
    finish();
}
