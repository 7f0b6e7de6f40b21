/* SPDX-License-Identifier: Apache-2.0
 * The log of errors, by the words of the CUDA Driver API, "Error Log Management Functions": callbacks
 * hear of messages as they come, dumps begin at an iterator and move it on, and say where they are
 * not whole; the last message of a dump is the newest. */
#include "cu.h"

#include <stdbool.h>
#include <unistd.h>

typedef void (*log_callback)(void *user, int level, char *message, size_t bytes);
extern int cuLogsRegisterCallback(log_callback callback, void *user, void **out);
extern int cuLogsUnregisterCallback(void *handle);
extern int cuLogsCurrent(unsigned *at, unsigned flags);
extern int cuLogsDumpToFile(unsigned *at, const char *path, unsigned flags);
extern int cuLogsDumpToMemory(unsigned *at, char *to, size_t *size, unsigned flags);
extern int cudaLogsDumpToMemory(unsigned *at, char *to, size_t *size, unsigned flags);

enum { ERROR_LEVEL = 0, NOWHERE = 16, LOG_BYTES = 25600, ROOM = 2 * LOG_BYTES };

static struct {
    int count, level;
    char text[1024];
} heard;

/* Which makes a call that fails, too: that is kept, and it does not hear of it. */
static void hear(void *user, int level, char *message, size_t bytes)
{
    EXPECT(user == &heard && strlen(message) == bytes, 1);
    heard.count++;
    heard.level = level;
    snprintf(heard.text, sizeof heard.text, "%s", message);
    EXPECT(cuMemFree_v2(2 * NOWHERE), INVALID_VALUE);
}

static size_t lines_of(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* From *at on; "" where there is nothing. */
static const char *dumped(unsigned *at)
{
    static char text[ROOM];
    size_t size = sizeof text;
    OK(cuLogsDumpToMemory(at, text, &size, 0));
    EXPECT(size, strlen(text));
    return text;
}

static void callbacks(void *kernel)
{
    void *handle, *params[] = {NULL};
    OK(cuLogsRegisterCallback(hear, &heard, &handle));
    EXPECT(cuMemFree_v2(NOWHERE), INVALID_VALUE);
    EXPECT(heard.count, 1);
    EXPECT(heard.level, ERROR_LEVEL);
    EXPECT(strstr(heard.text, "1 (CUDA_ERROR_INVALID_VALUE, invalid argument)") != NULL, 1);
    EXPECT(strstr(heard.text, "cuMemFree_v2") != NULL, 1);
    EXPECT(cuLaunchKernel(kernel, 1, 1, 1, 2000, 1, 1, 0, NULL, params, NULL), INVALID_VALUE);
    EXPECT(heard.count, 3); /* why it is refused, and the call */
    OK(cuLogsUnregisterCallback(handle));
    EXPECT(cuMemFree_v2(NOWHERE), INVALID_VALUE);
    EXPECT(heard.count, 3);
    EXPECT(strstr(dumped(NULL), "poke cannot be launched with grid 1,1,1, block 2000,1,1") != NULL,
           1);
}

static void iterators(void)
{
    unsigned at, again;
    OK(cuLogsCurrent(&at, 0));
    EXPECT(*dumped(&at), '\0');
    EXPECT(cuMemFree_v2(NOWHERE), INVALID_VALUE);
    again = at;
    const char *text = dumped(&at);
    int hour, minute, second, thread;
    char level;
    EXPECT(lines_of(text), 1);
    EXPECT(ends_with(text, "\n"), 1);
    EXPECT(sscanf(text, "[%d:%d:%d.%*d][%d][CUDA][%c]", &hour, &minute, &second, &thread, &level),
           5);
    EXPECT(thread, getpid());
    EXPECT(level, 'E');
    EXPECT(*dumped(&at), '\0');
    EXPECT(lines_of(dumped(&again)), 1);
    EXPECT(cuLogsCurrent(NULL, 0), INVALID_VALUE);
    EXPECT(cuLogsCurrent(&at, 1), INVALID_VALUE);
}

static void files(void)
{
    char path[] = "/tmp/inflight-log-XXXXXX", from_file[ROOM] = "";
    const int file = mkstemp(path);
    unsigned at = 0;
    OK(cuLogsDumpToFile(&at, path, 0));
    EXPECT(read(file, from_file, sizeof from_file - 1) > 0, 1);
    OK(strcmp(from_file, dumped(NULL)));
    EXPECT(*dumped(&at), '\0');
    close(file);
    unlink(path);
}

/* Room for the newest two lines and a head, for nothing, and for none of what was written over. */
static void small_rooms(void)
{
    char text[ROOM];
    const char *all = dumped(NULL);
    const size_t lines = lines_of(all), whole = strlen(all);
    unsigned at = 0;
    size_t size = whole / lines * 3;
    OK(cudaLogsDumpToMemory(&at, text, &size, 0));
    EXPECT(size < whole && size == strlen(text), 1);
    EXPECT(lines_of(text) >= 2 && lines_of(text) < lines, 1);
    EXPECT(text[0] == '[' && strstr(text, "][CUDA][") > strchr(text, '\n'), 1); /* a head first */
    EXPECT(ends_with(all, strrchr(text, '[')), 1);
    EXPECT(*dumped(&at), '\0');
    size = 8;
    at = 0;
    EXPECT(cuLogsDumpToMemory(&at, text, &size, 0), INVALID_VALUE);
    EXPECT(size, 0);
    EXPECT(at, 0);
    size = ROOM;
    EXPECT(cuLogsDumpToMemory(&at, NULL, &size, 0), INVALID_VALUE);
    EXPECT(cuLogsDumpToMemory(&at, text, NULL, 0), INVALID_VALUE);
    EXPECT(cuLogsDumpToMemory(&at, text, &size, 1), INVALID_VALUE);
    EXPECT(ends_with(dumped(NULL), "from cuLogsDumpToMemory\n"), 1);
}

static void old_messages(void)
{
    for (int i = 0; i < 500; i++)
        EXPECT(cuMemFree_v2(NOWHERE), INVALID_VALUE);
    EXPECT(cuMemcpyHtoD_v2(NOWHERE, &heard, 1), INVALID_VALUE);
    const char *text = dumped(NULL);
    const char *first = strchr(text, '\n');
    EXPECT(strstr(text, "][CUDA][") > first, 1);
    EXPECT(lines_of(text) < 500 && strlen(first + 1) <= LOG_BYTES, 1);
    EXPECT(ends_with(text, "from cuMemcpyHtoD_v2\n"), 1);
}

/* The launch returns before its kernel has faulted; what is heard first is why it stopped. */
static void faults(void *kernel)
{
    unsigned at;
    address nowhere = NOWHERE;
    void *params[] = {&nowhere};
    OK(cuLogsCurrent(&at, 0));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    EXPECT(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    const char *text = dumped(&at);
    EXPECT(strstr(text, "illegal address") != NULL, 1);
    EXPECT(strstr(text, "launched from ") != NULL, 1);
}

int main(void)
{
    void *context, *module, *kernel;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleLoadData(&module, kernels));
    OK(cuModuleGetFunction(&kernel, module, "poke"));
    callbacks(kernel);
    iterators();
    files();
    small_rooms();
    old_messages();
    faults(kernel);
    puts("as documented");
    return 0;
}
