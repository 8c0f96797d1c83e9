/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_main.c - a fuzz target as an ordinary test: once over each file of its corpus.
 *
 * Each input lies in a heap block of exactly its size, so that AddressSanitizer sees a read past
 * its end.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "support/test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_file(const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");

    ASSERT_TRUE(file != NULL && fstat(fileno(file), &info) == 0);
    size_t size = (size_t) info.st_size;
    uint8_t *data = malloc(size == 0 ? 1 : size);
    ASSERT_TRUE(data != NULL);
    ASSERT_EQ(fread(data, 1, size, file), size);
    (void) fclose(file);
    (void) printf("%s\n", path); /* shown when the target crashes or runs too long */
    ASSERT_EQ(LLVMFuzzerTestOneInput(data, size), 0);
    free(data);
}

static int run_directory(const char *path)
{
    DIR *dir = opendir(path);
    int count = 0;

    if (dir == NULL) {
        FAIL("cannot open the corpus %s", path);
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            text name = { 0 };
            text_append(&name, "%s/%s", path, entry->d_name);
            run_file(name.chars);
            count++;
        }
    }
    (void) closedir(dir);
    return count;
}

#define CORPUS_TEST(target) TEST(target, runs_over_its_corpus)
CORPUS_TEST(FUZZ_TARGET)
{
    ASSERT_TRUE(run_directory(FUZZ_CORPUS) > 0);
}
