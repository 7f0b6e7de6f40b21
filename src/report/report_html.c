/* SPDX-License-Identifier: Apache-2.0
 * The report as one HTML page that stands alone: no script, nothing fetched. It says what the text
 * report says; only the form is another. */
#include "report/writer.h"

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>inflight report</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; --ink: #1c1e21; --paper: #fff; --dim: #6a7078; --rule: "
    "#dcdfe3;\n"
    "  --good: #16803c; --warn: #a15c00; --bad: #c0261c; --bar: #cfe0f7; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e4e6e9; --paper: #17191c; --dim: "
    "#949aa3;\n"
    "  --rule: #33373d; --good: #5ec27c; --warn: #e0a045; --bad: #f2776d; --bar: #26405f; } }\n"
    "body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, "
    "sans-serif; }\n"
    "main { max-width: 72rem; margin: 0 auto; padding: 1.5rem; }\n"
    "section + section { margin-top: 3rem; border-top: 2px solid var(--rule); }\n"
    "h1 { font: 600 1.3rem/1.3 ui-monospace, monospace; overflow-wrap: anywhere; }\n"
    "h2 { font-size: 1.05rem; margin: 1.8rem 0 0.4rem; }\n"
    "p { margin: 0.2rem 0; max-width: 60rem; }\n"
    ".strong { font-weight: 600; } .dim { color: var(--dim); } .good { color: var(--good); }\n"
    ".warn { color: var(--warn); } .bad { color: var(--bad); font-weight: 600; }\n"
    ".table { overflow-x: auto; }\n"
    "table { border-collapse: collapse; margin: 0.5rem 0; font-variant-numeric: tabular-nums; }\n"
    "th { color: var(--dim); font-weight: 500; text-align: left; vertical-align: bottom; }\n"
    "th, td { padding: 0.15rem 0.6rem; white-space: nowrap; border-bottom: 1px solid var(--rule); "
    "}\n"
    ".right { text-align: right; }\n"
    ".share { background: linear-gradient(to right, var(--bar) var(--share), transparent "
    "var(--share)); }\n"
    ".span td { padding-top: 0.6rem; } code { color: var(--dim); margin-left: 0.6rem; }\n"
    "</style>\n"
    "</head>\n"
    "<body><main>\n";

static const char foot[] = "</main></body>\n</html>\n";

ifl_status ifl_report_write_html(const ifl_report_input *input, FILE *out, ifl_error *error)
{
    const ifl_page page = {.out = out, .form = &ifl_page_form_html};
    ifl_status status = IFL_OK;
    fputs(head, out);
    for (size_t i = 0; i < input->count && status == IFL_OK; i++) {
        fputs("<section>\n", out);
        status = ifl_report_print_launch(input, i, &page, error);
        fputs("</section>\n", out);
    }
    fputs(foot, out);
    return status;
}
