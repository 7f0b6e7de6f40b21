#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One launch on two GPUs: the bars are the JSON's times, and the bytes moved by the one source line are its sectors.
# usage: INFLIGHT=... check_analyze.sh SOURCE
set -eu
. "$1/tests/html/page.sh"

"$INFLIGHT" analyze "$1/lab/axpy/axpy.sm_90.ptx" --code ptx --machine "$1/lab/axpy/axpy.sm_90.cubin" -k axpy_naive -g 256 -b 256 --gpu h200 --gpu b200 \
    --json "$tree/report.json" --html "$tree/page.html" i32:65536 f32:2 f32x65536=random:1 f32x65536=random:2 >"$tree/text"
stands_alone "$tree/page.html"
has_values "$tree/page.html" "$tree/report.json" time_us
test "$(values_of "$tree/report.json" time_us | wc -l)" = 2 || fail "not two models"

# 2048 warps load twice and store once, 4 sectors of 32 bytes each.
bytes=$((2048 * 3 * 4 * 32))
grep -q "class=\"first\" data-value=\"$bytes\"" "$tree/page.html" || fail "no bar of $bytes bytes asked for"
grep -q "class=\"second\" data-value=\"$bytes\"" "$tree/page.html" || fail "no bar of $bytes bytes moved"
for chart in 'Predicted time by GPU' 'h200: occupancy by registers' 'b200: occupancy by block size'; do
    grep -q "<figcaption>$chart" "$tree/page.html" || fail "no chart '$chart'"
done
! grep -q -e 'floating-point' -e 'roofline of instructions' "$tree/page.html" || fail "operations of machine code that did not run"
! grep -q 'occupancy by shared memory' "$tree/page.html" || fail "a chart of shared memory, which the kernel has not"

# Machine code that runs tells what is computed: one fused multiply-add a thread.
"$INFLIGHT" analyze "$1/lab/axpy/axpy.sm_90.cubin" -k axpy_naive -g 256 -b 256 --gpu h200 \
    --json "$tree/report.json" --html "$tree/page.html" i32:65536 f32:2 f32x65536=random:1 f32x65536=random:2 >"$tree/text"
stands_alone "$tree/page.html"
grep -q '"flops_f32": 131072,' "$tree/report.json" || fail "not two operations a thread"
for kind in 'floating-point operations' instructions; do
    grep -q "<figcaption>h200: roofline of $kind" "$tree/page.html" || fail "no roofline of $kind"
done

# Where warps stall, by source line in both pages, and in the HTML page in the listing, which has each of the 19 instructions of the cubin
# (nvdisasm), as often as 2048 warps issued it; a bar behind each share.
for page in text page.html; do
    grep -q 'Where warps stall on h200' "$tree/$page" || fail "$page does not say where warps stall"
    grep -q 'The warps of .* were followed' "$tree/$page" || fail "$page does not say how many blocks were followed"
done
grep -q 'axpy.cu:39 .* % .* y\[i\]' "$tree/text" || fail "no share of axpy.cu:39"
! grep -q 'The listing' "$tree/text" || fail "a listing in the text"
sed -n '/<h2>The listing/,$p' "$tree/page.html" >"$tree/listing"
test "$(grep -c '<td[^>]*>0x[0-9a-f]*</td><td class="plain right">2,048</td>' "$tree/listing")" = 19 || fail "not 19 instructions of 2,048 warps"
grep -q '<td colspan="5"><b>axpy.cu:39</b> <code>y\[i\]' "$tree/listing" || fail "no source line in the listing"
# The shares of the instructions of a line are the line's.
awk -F '[:,]' '
    /"stall_lines"/ { at = "line" } /"stall_sites"/ { at = "site" }
    /"op"/ { line = 0 } /"line"/ { line = $2 + 0 }
    at && /"share"/ { share = $2 + 0 }
    at && /"share"/ { sum[at, line] += share; lines[line] }
    END { for (line in lines) {
              off = sum["line", line] - sum["site", line]; all += sum["line", line]
              if (off > 0.005 || off < -0.001) { print line, off; exit 1 } }
          exit !(all > 0.99 && all < 1.001) }' "$tree/report.json" || fail "the stalls of lines are not those of their instructions"
test "$(grep -c 'class="plain right share" style="--share:' "$tree/listing")" -gt 3 || fail "no bars in the listing"
echo "html of analyze: as the JSON"
