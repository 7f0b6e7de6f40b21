#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page's script in a browser: a click on a column's head sorts the table of launches by its figures, largest first, a
# second click reverses it; rows stay below the source line that spans the table, and a long one does not widen it.
# usage: INFLIGHT=... check_sort.sh SOURCE CHROMIUM
set -eu
. "$1/tests/html/page.sh"

# dump PAGE: what the browser makes of the page, with the words that the script below leaves as its last line.
dump() {
    "$chromium" --headless=new --no-sandbox --disable-gpu --window-size=1280,1000 --user-data-dir="$tree/profile" \
        --dump-dom "file://$1" 2>"$tree/err" | sed -n 's/.*data-said="\([^"]*\)".*/\1/p'
}

# with_script PAGE SCRIPT: the page, and a script that leaves `said`.
with_script() {
    sed "s|^</body>\$|<script>let said; $2 document.body.setAttribute('data-said', said);</script></body>|" "$1" >"$tree/t.html"
    dump "$tree/t.html"
}

chromium=$2
"$INFLIGHT" run --html "$tree/run.html" -- "$1/tests/standin/prebuilt/event_times.bin" >"$tree/out" 2>"$tree/err"
column="const t = document.querySelector('table'), c = (i) => [...t.tBodies[0].rows].map((r) => r.cells[i].textContent)"
click="const click = (i) => t.tHead.rows[0].cells[i].querySelector('button').click()"
figures="const f = () => c(4).map((s) => parseFloat(s.replace(/,/g, '')))"
down=$(with_script "$tree/run.html" "$column; $click; $figures; click(4); said = f().join(' ');")
up=$(with_script "$tree/run.html" "$column; $click; $figures; click(4); click(4); said = f().join(' ');")
test -n "$down" || { cat "$tree/err"; fail "the browser said nothing"; }
numbers=$(echo "$down" | tr ' ' '\n')
test "$numbers" = "$(echo "$numbers" | sort -rn)" || fail "launches after one click: $down"
test "$(echo "$up" | tr ' ' '\n')" = "$(echo "$numbers" | sort -n)" || fail "launches after two clicks: $up"
test "$(echo "$numbers" | sort -u | wc -l)" -gt 1 || fail "all places have as many launches: nothing is shown"

# The rows of a source line follow it wherever it goes.
"$INFLIGHT" analyze "$1/tests/html/two_lines.ptx" -k two_lines -g 1 -b 32 --html "$tree/lines.html" f32x4096=iota >"$tree/out"
groups="const t = [...document.querySelectorAll('table')].find((t) => t.querySelector('tr.span'))"
told="const told = () => [...t.tBodies[0].rows].map((r) => r.className ? '/' : r.cells[0].textContent.trim()).join(' ')"
click="const click = (i) => t.tHead.rows[0].cells[i].querySelector('button').click()"
before=$(with_script "$tree/lines.html" "$groups; $told; said = told();")
after=$(with_script "$tree/lines.html" "$groups; $told; $click; click(2); said = told();")
reversed=$(with_script "$tree/lines.html" "$groups; $told; $click; click(2); click(2); said = told();")
narrow="/ ld.global.f32 st.global.f32" wide="/ ld.global.v2.f32"
test "$before" = "$narrow $wide" || fail "lines before: $before"
test "$after" = "$wide $narrow" || fail "lines after one click on sectors per request: $after"
test "$reversed" = "$narrow $wide" || fail "lines after two clicks: $reversed"

# Figures with units, sizes of several dimensions and what is below a figure sort by what they mean.
rows='"<1 %", "64×64", "9 B", "1.2 ms", "130", "<0.01", "950 ns", "1.5 kB", "2 µs", "7×2×3"'
sorted=$(with_script "$tree/run.html" "said = [$rows].map((s) => [s, value({ textContent: s })]).sort((a, b) => a[1] - b[1]).map((p) => p[0]).join(', ').replaceAll('<', 'under ');")
expected='under 0.01, 950 ns, under 1 %, 2 µs, 9 B, 7×2×3, 130, 1.2 ms, 1.5 kB, 64×64'
test "$sorted" = "$expected" || fail "figures in order: $sorted"

# A source line longer than the table wraps: the columns stay in view.
long=$(printf 'word %.0s' $(seq 100))
cp "$1/tests/html/two_lines.ptx" "$tree/long.ptx"
for _ in $(seq 20); do echo "$long"; done >"$tree/two_lines.cu"
"$INFLIGHT" analyze "$tree/long.ptx" -k two_lines -g 1 -b 32 --html "$tree/long.html" f32x4096=iota >"$tree/out"
grep -q 'word word word' "$tree/long.html" || fail "the page does not quote the long line"
fits=$(with_script "$tree/long.html" "$groups; const p = t.parentElement; said = p.scrollWidth <= p.clientWidth;")
test "$fits" = true || fail "a long source line makes its table wider than the page: $fits"
echo "html: sorts"
