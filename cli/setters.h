/* SPDX-License-Identifier: Apache-2.0
 * Options that only keep their value: set_FIELD of a command's request, as ifl_cli_option wants
 * it. */
#ifndef IFL_CLI_SETTERS_H
#define IFL_CLI_SETTERS_H

#define TEXT_OPTION(request, field)                                                                \
    static ifl_status set_##field(void *user, const char *value, ifl_error *error)                 \
    {                                                                                              \
        (void)error;                                                                               \
        ((request *)user)->field = value;                                                          \
        return IFL_OK;                                                                             \
    }

/* One of the words that option.def lists. */
#define WORD_OPTION(request, field)                                                                \
    static ifl_status set_##field(void *user, const char *value, ifl_error *error)                 \
    {                                                                                              \
        ((request *)user)->field = value;                                                          \
        return ifl_cli_check_word(IFL_CLI_OPTION_##field, value, error);                           \
    }

/* An option of another name than its field's, or one that clears it. */
#define SWITCH_OPTION(request, name, field, to)                                                    \
    static ifl_status set_##name(void *user, const char *value, ifl_error *error)                  \
    {                                                                                              \
        (void)value;                                                                               \
        (void)error;                                                                               \
        ((request *)user)->field = to;                                                             \
        return IFL_OK;                                                                             \
    }

#define FLAG_OPTION(request, field) SWITCH_OPTION(request, field, field, true)

#define COLOR_OPTION(request, field)                                                               \
    static ifl_status set_color(void *user, const char *value, ifl_error *error)                   \
    {                                                                                              \
        if (!ifl_cli_color(value, &((request *)user)->field))                                      \
            return ifl_cli_error(error, IFL_USAGE,                                                 \
                                 "--color takes auto, always or never, not '%s'", value);          \
        return IFL_OK;                                                                             \
    }

#endif
