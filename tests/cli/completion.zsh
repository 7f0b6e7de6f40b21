# SPDX-License-Identifier: Apache-2.0
# What zsh offers for each line of standard input: the words after "inflight", the last one at the cursor. Its own
# functions for completion exist at a prompt only: here they print.
# usage: zsh -f completion.zsh COMPLETION
offered=()
compset() { return 0; }
compadd()
{
    while [[ $1 == -* ]]; do
        [[ $1 == -S ]] && shift
        [[ $1 == -- ]] && { shift; break; }
        shift
    done
    offered+=("$@")
}
_files()
{
    local word=${words[CURRENT]#--*=}
    if [[ $1 == -/ ]]; then offered+=($word*(N/)); else offered+=($word*(N)); fi
}
while IFS= read -r line; do
    words=(inflight ${=line})
    [[ $line == *' ' ]] && words+=('')
    CURRENT=$#words
    offered=()
    source $1
    print -r -- "$line> $offered"
done
