/* SPDX-License-Identifier: Apache-2.0
 * The report as one HTML page that stands alone: nothing is fetched, and it says everything without
 * its script, which only sorts tables. The markup is well-formed XML too, so that any XML reader
 * checks it. It says what the text report says, with charts. */
#include "report/writer.h"

#include "report/kernels_part.h"
#include "report/svg.h"

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<title>";

static const char style[] =
    "</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; --ink: #1c1e21; --paper: #ffffff; --dim: #5f656d; --rule: "
    "#dcdfe3;\n"
    "  --good: #137537; --warn: #935300; --bad: #c0261c; --bar: #e0ebfa; --first: #2f6fc4; "
    "--second: #c77a0a; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e4e6e9; --paper: #17191c; --dim: "
    "#a0a6ae;\n"
    "  --rule: #33373d; --good: #5ec27c; --warn: #e0a045; --bad: #f2776d; --bar: #1e3047; --first: "
    "#6ba5ec;\n"
    "  --second: #e0a045; } }\n"
    "body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, "
    "sans-serif; }\n"
    "main { max-width: 72rem; margin: 0 auto; padding: 1.5rem; }\n"
    "section + section { margin-top: 3rem; border-top: 2px solid var(--rule); }\n"
    "h1 { font: 600 1.3rem/1.3 ui-monospace, monospace; overflow-wrap: anywhere; }\n"
    "h2 { font-size: 1.05rem; margin: 1.8rem 0 0.4rem; }\n"
    "p { margin: 0.2rem 0; max-width: 60rem; overflow-wrap: anywhere; }\n"
    "a { color: var(--first); }\n"
    ".strong { font-weight: 600; } .dim { color: var(--dim); } .good { color: var(--good); }\n"
    ".warn { color: var(--warn); } .bad { color: var(--bad); font-weight: 600; }\n"
    ".table { overflow-x: auto; scrollbar-color: var(--dim) var(--paper); }\n"
    "table { border-collapse: collapse; margin: 0.5rem 0; font-variant-numeric: tabular-nums; }\n"
    "th { color: var(--dim); font-weight: 500; text-align: left; vertical-align: bottom; }\n"
    "th, td { padding: 0.15rem 0.6rem; white-space: nowrap; border-bottom: 1px solid var(--rule); "
    "}\n"
    ".right { text-align: right; } .long { white-space: normal; overflow-wrap: anywhere; "
    "min-width: 15rem; }\n"
    ".up { float: right; margin: 0; }\n"
    ".share { background: linear-gradient(to right, var(--bar) var(--share), transparent "
    "var(--share)); }\n"
    ".span td { padding-top: 0.6rem; max-width: 0; white-space: normal; overflow-wrap: anywhere; "
    "} code { color: var(--dim); margin-left: 0.6rem; }\n"
    "th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid "
    "var(--first); }\n"
    "th[aria-sort] button::after { content: \" \\2193\"; } th[aria-sort=ascending] button::after { "
    "content: \" \\2191\"; }\n"
    ".charts { columns: 27rem; column-gap: 2.4rem; margin: 1.4rem 0; }\n"
    "figure { margin: 0 0 1.4rem; break-inside: avoid; } figcaption { font-weight: 600; "
    "margin-bottom: 0.3rem; overflow-wrap: anywhere; }\n"
    "svg { display: block; width: 100%; max-width: 36rem; height: auto; font: 12px system-ui, "
    "sans-serif; }\n"
    "svg text { fill: var(--ink); } svg .label { font-family: ui-monospace, monospace; font-size: "
    "11.5px; white-space: pre; }\n"
    "svg .note, svg .tick { fill: var(--dim); } svg .end { text-anchor: end; } svg .middle { "
    "text-anchor: middle; }\n"
    "svg text.strong { fill: var(--ink); }\n"
    "svg .first { fill: var(--first); } svg .second { fill: var(--second); }\n"
    "svg .range { fill: none; stroke: var(--ink); stroke-width: 1.2; } svg .grid { fill: none; "
    "stroke: var(--rule); }\n"
    "svg .curve { fill: none; stroke: var(--first); stroke-width: 2; }\n"
    "svg .mark { fill: var(--second); stroke: var(--paper); stroke-width: 1.5; }\n"
    "@media print { body { font-size: 9.5pt; } main { max-width: none; padding: 0; } .up { "
    "display: "
    "none; }\n"
    "  table { font-size: 8pt; } th, td { padding: 0.1rem 0.35rem; } .table { overflow: visible; "
    "}\n"
    "  .charts { columns: 2; column-gap: 1.5rem; } tr, h1, h2 { break-inside: avoid; } h1, h2 { "
    "break-after: avoid; } }\n"
    "@media screen and (max-width: 36rem) { main { padding: 1rem; } svg { font-size: 15px; } svg "
    ".label { "
    "font-size: 14px; } }\n"
    "</style>\n"
    "</head>\n"
    "<body><main>\n";

/* Columns are sorted by their figures where the first of them is one, else by their texts. Rows
 * stay beneath the row that spans the table before them, if there is one: such a group is sorted by
 * its first row. */
static const char foot[] =
    "</main>\n"
    "<script>\n"
    "//<![CDATA[\n"
    "const units = { B: 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18, Ki: 1024, Mi: "
    "1048576,\n"
    "  ns: 1e-3, ms: 1e3, s: 1e6 };\n"
    "/* Times in µs; a size by all its dimensions; what is below a figure is less than it. */\n"
    "function value(cell) {\n"
    "  const text = cell ? cell.textContent.trim() : \"\", found = "
    "/^([<≈]?)(-?[\\d,.]+(?:×[\\d,.]+)*)\\s*(\\S*)/.exec(text);\n"
    "  if (!found) return text;\n"
    "  const scale = units[found[3].replace(/(?<=.)B$/, \"\")] || 1;\n"
    "  const size = found[2].replace(/,/g, \"\").split(\"×\").reduce((all, one) => all * one, 1);\n"
    "  return size * scale * (found[1] === \"<\" ? 0.999 : 1);\n"
    "}\n"
    "function compare(a, b) {\n"
    "  if (a === \"\" || b === \"\") return (a === \"\") - (b === \"\");\n"
    "  return typeof a === \"number\" && typeof b === \"number\" ? a - b : "
    "String(a).localeCompare(String(b));\n"
    "}\n"
    "function groups(body) {\n"
    "  const all = [];\n"
    "  let spanned = false;\n"
    "  for (const row of body.rows) {\n"
    "    const span = row.className === \"span\";\n"
    "    if (span || !spanned) all.push({ rows: [row], key: row });\n"
    "    else { const last = all[all.length - 1]; if (last.rows.length === 1) last.key = row; "
    "last.rows.push(row); }\n"
    "    spanned = spanned || span;\n"
    "  }\n"
    "  return all;\n"
    "}\n"
    "function sort(head, index) {\n"
    "  const body = head.closest(\"table\").tBodies[0], down = head.getAttribute(\"aria-sort\") "
    "!== \"descending\";\n"
    "  for (const other of head.parentNode.cells) other.removeAttribute(\"aria-sort\");\n"
    "  head.setAttribute(\"aria-sort\", down ? \"descending\" : \"ascending\");\n"
    "  const all = groups(body).map((group) => ({ group, value: value(group.key.cells[index]) "
    "}));\n"
    "  all.sort((a, b) => (down && a.value !== \"\" && b.value !== \"\" ? -1 : 1) * "
    "compare(a.value, b.value));\n"
    "  for (const one of all) body.append(...one.group.rows);\n"
    "}\n"
    "for (const table of document.querySelectorAll(\"table\")) {\n"
    "  if (groups(table.tBodies[0]).length < 2) continue;\n"
    "  [...table.tHead.rows[0].cells].forEach((head, index) => {\n"
    "    if (!head.textContent) return;\n"
    "    const button = document.createElement(\"button\");\n"
    "    button.type = \"button\";\n"
    "    button.title = \"sort\";\n"
    "    button.append(...head.childNodes);\n"
    "    button.addEventListener(\"click\", () => sort(head, index));\n"
    "    head.append(button);\n"
    "  });\n"
    "}\n"
    "//]]>\n"
    "</script>\n"
    "</body>\n</html>\n";

static ifl_status write_kernels(const ifl_report_input *input, const ifl_page *like,
                                ifl_error *error)
{
    ifl_page page = *like;
    fputs("<section id=\"launches\">\n", page.out);
    ifl_kernels_part_print(&page, input);
    fputs("</section>\n", page.out);
    ifl_arena_free(&page.arena);
    return page.no_memory ? ifl_fail_memory(error, sizeof page) : IFL_OK;
}

/* What a browser's tab says. */
static void put_title(FILE *out, const ifl_report_input *input)
{
    const ifl_profile *p = input->count ? input->outcomes[0]->profile : NULL;
    ifl_arena arena = {0};
    const char *several = input->count > 1 ? ifl_kernels_part_title(&arena, input) : NULL;
    if (several)
        ifl_html_put(out, several);
    else if (p)
        ifl_html_put(out, p->signature && *p->signature ? p->signature
                          : p->kernel                   ? p->kernel
                                                        : "a launch");
    fputs(input->count ? " - inflight" : "inflight", out);
    ifl_arena_free(&arena);
}

ifl_status ifl_report_write_html(const ifl_report_input *input, FILE *out, ifl_error *error)
{
    const ifl_page page = {.out = out, .form = &ifl_page_form_html};
    ifl_status status = IFL_OK;
    fputs(head, out);
    put_title(out, input);
    fputs(style, out);
    if (input->count > 1)
        status = write_kernels(input, &page, error);
    for (size_t i = 0; i < input->count && status == IFL_OK; i++) {
        fprintf(out, "<section id=\"launch-%zu\">\n", i + 1);
        if (input->count > 1)
            fputs("<p class=\"up\"><a href=\"#launches\">all launches</a></p>\n", out);
        status = ifl_report_print_launch(input, i, &page, error);
        fputs("</section>\n", out);
    }
    fputs(foot, out);
    return status;
}
