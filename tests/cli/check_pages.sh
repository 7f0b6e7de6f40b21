#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What every command prints, on terminals of 80 and 100 columns: no line is wider, no figure has an exponent, "1 blocks"
# is written nowhere, a legend stands once, a page that is cut off by `head` is no error, and `inflight help` explains
# each head of a table. With EXTRA, a program to run under `inflight run`.
# usage: INFLIGHT=... check_pages.sh SOURCE [EXTRA]
set -eu
source=$1 extra=${2:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/inflight-pages.XXXXXX")
trap 'rm -rf "$work"' EXIT
LC_ALL=C.UTF-8
export LC_ALL
mkdir "$work/bin"
ln -s "$INFLIGHT" "$work/bin/inflight"
PATH=$work/bin:$PATH
unset NO_COLOR
cd "$source/tests/cli/data"
failed=0

complain()
{
    failed=1
    echo "$*"
}

cp copy.launch copy.ptx "$work"
printf 'run = copy.launch\ngpu = h200\nlimit = sectors <= 1\nlimit = time_us <= 0.001\n' >"$work/a.budget"

cat >"$work/commands" <<COMMANDS
inflight help
inflight help arguments
inflight help report
inflight help model
inflight help caches
inflight help exit-status
inflight analyze copy.ptx
inflight analyze copy.launch
inflight analyze copy.launch --gpu h200 --gpu b200@1155 --gpu k20x
inflight analyze ../../../lab/axpy/axpy.sm_90.ptx -k axpy_naive -g 8192 -b 256 i32:2^21 f32:2 f32x2^21=random:1 f32x2^21=random:2 --gpu a100-80
inflight analyze ../../problems/uncoalesced.slow.launch -g 256,32
inflight analyze ../../problems/register_spills.slow.launch -g 264
inflight analyze ../../problems/contended_atomics.slow.launch
inflight analyze ../../problems/bank_conflict.slow.launch -g 32,32
inflight analyze ../../machine/keep_quads.launch
inflight analyze ../../machine/add_double.launch --gpu h200
inflight lab --list
inflight lab axpy --reduced
inflight lab transpose --no-run
inflight lab lookup --no-run --sweeps
inflight lab offset --no-run
inflight devices
inflight devices h200
inflight devices k20x
inflight devices --fields
inflight occupancy --block 256
inflight occupancy --block 1024 --regs 40 --grid 100
inflight occupancy --block 32 --gpu h200 --grid 1
cd $work && inflight check --no-cache a.budget
inflight compare compare/a.json compare/b.json
inflight compare compare/a.json compare/b.json --all
inflight sass ../../../lab/axpy/axpy.sm_90.cubin -k axpy_naive
inflight advice --record
COMMANDS
for command in $(inflight help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    echo "inflight help $command" >>"$work/commands"
done
if [ -n "$extra" ]; then
    echo "inflight run -- $extra" >>"$work/commands"
    echo "inflight run --each -- $extra" >>"$work/commands"
fi

# ---- widths, figures, singular and plural; `pipe`: where nothing says how wide it is
for terminal in 80 100 pipe; do
    case $terminal in pipe) columns=100 told= ;; *) columns=$terminal told=$terminal ;; esac
    while read -r command; do
        COLUMNS=$told sh -c "$command" >"$work/page" 2>"$work/errors" </dev/null || true
        case $command in *" run "*) cat "$work/errors" >>"$work/page" ;; esac
        [ -s "$work/page" ] || complain "nothing: $command"
        # A breach is one line, as compilers write errors: editors read it.
        case $command in *"inflight check"*) most=100 ;; *) most=$columns ;; esac
        widest=$(wc -L <"$work/page")
        [ "$widest" -le "$most" ] || complain "$widest columns on $columns: $command
$(awk -v most="$columns" '{ n = $0; gsub(/[\200-\277]/, "", n); if (length(n) > most) print "    " $0 }' "$work/page" | head -3)"
        if grep -nE '(^|[^0-9.,×/-])1 (block|warp|thread|launch|kernel|request|register|byte|instruction|wave|wavefront|line|sector|element|place|counter|time|budget|limit|GPU|SM|case|version|figure|word)(e?s)\b' "$work/page"; then
            complain "one of many: $command"
        fi
        if grep -nE '(^|[ (])[0-9]+(\.[0-9]+)?e[+-]?[0-9]+([ ,.;)]|$)' "$work/page" | grep -v 'f64:1e-3\|f64 1e-12'; then
            complain "a figure with an exponent: $command"
        fi
    done <"$work/commands"
done

# ---- the same of what is recorded: goldens, the session in README.md, the pages that are made from tables
for page in "$source"/tests/golden/*.txt "$source"/README.md "$source"/docs/advice.md "$source"/docs/lab.md \
            "$source"/docs/facts.md "$source"/docs/times.md; do
    if grep -nE '(^|[^0-9.,×/-])1 (block|warp|thread|launch|kernel|request|register|byte|instruction|wave|wavefront|line|sector|element|SM)(e?s)\b' "$page"; then
        complain "one of many: $page"
    fi
    if grep -nE '(^|[ (])[0-9]+(\.[0-9]+)?e[+-]?[0-9]+([ ,.;)]|$)' "$page"; then
        complain "a figure with an exponent: $page"
    fi
done

# ---- a legend once
legends=$(inflight analyze copy.launch | grep -c '^A request is')
[ "$legends" = 1 ] || complain "$legends legends on one page"
if [ -n "$extra" ]; then
    inflight run -- "$extra" >"$work/page" 2>&1
    [ "$(grep -c '^A request is' "$work/page")" = 1 ] || complain "run: the legend stands $(grep -c '^A request is' "$work/page") times"
fi

# ---- a reader that has gone, as `head` goes, is no error
for command in "inflight analyze ../../../lab/axpy/axpy.sm_90.ptx -k axpy_naive -g 8192 -b 256 i32:2^21 f32:2 f32x2^21=random:1 f32x2^21=random:2 --gpu h200" "inflight opcodes" "inflight devices"; do
    { sleep 0.3; sh -c "$command" 2>"$work/errors" && echo "status $?" >"$work/status"; } | true
    [ "$(cat "$work/status")" = "status 0" ] || complain "a closed pipe: $command: $(cat "$work/status")"
    [ ! -s "$work/errors" ] || complain "not silent: $command: $(cat "$work/errors")"
    rm -f "$work/status"
done

# ---- every head of a table is explained
inflight analyze ../../problems/register_spills.slow.launch -g 528 --html "$work/a.html" >"$work/spills"
inflight analyze ../../problems/bank_conflict.slow.launch -g 32,32 --html "$work/b.html" >/dev/null
inflight analyze copy.launch --gpu h200 --html "$work/c.html" >/dev/null
cat "$work"/*.html | tr '\n' ' ' | grep -o '<th[^>]*>[^/]*</th>' | sed -e 's/<br>/ /g' -e 's/<[^>]*>//g' -e 's/- //' \
    -e 's/&gt;/>/g' -e 's/^ *//' -e 's/ *$//' | sort -u >"$work/heads"
cat >>"$work/heads" <<'HEADS'
kernel
share
total
launches
average
least
most
grid
block
launched from
not needed
most of it at
blocks per SM
warps per SM
last wave
efficiency
limited by
the next step
CC
SMs
MHz
HEADS
# those of pages of text, both lines in one, as the tables have them
grep -ohE '\{\{"[^"]*", "[^"]*"\}' "$source"/src/report/*.c | sed -e 's/{{"\(.*\)", "\(.*\)"}/\1 \2/' -e 's/- //' -e 's,/ ,/,' \
    -e 's/^ *//' -e 's/ *$//' | sort -u >"$work/columns"
[ "$(wc -l <"$work/columns")" -ge 60 ] || complain "few columns were found: $(wc -l <"$work/columns")"
cat "$work/columns" >>"$work/heads"
# purposes of instructions, in the listing of machine code
printf '%s\n' useful address control set-up conflicts "KiB in flight" >>"$work/heads"
# words in texts: limiters, stall reasons, remedies, patterns
grep -oE '\([a-z]+(_[a-z]+)+[;)]' "$work/spills" | tr -d '(;)' >>"$work/heads"
while read -r head; do
    [ -n "$head" ] || continue
    inflight help "$head" >"$work/page" 2>&1 || complain "no help on '$head': $(cat "$work/page")"
done <"$work/heads"
[ "$(sort -u "$work/heads" | wc -l)" -ge 35 ] || complain "few words were tried: $(wc -l <"$work/heads")"

exit "$failed"
