# SPDX-License-Identifier: Apache-2.0
# What bash offers for each line of standard input: the words after "inflight", the last one at the cursor.
# usage: completion.bash COMPLETION
source "$1"
while IFS= read -r line; do
    # As readline splits them, with '=' a word of its own.
    COMP_WORDS=()
    for word in inflight $line; do
        while [[ $word == *=* ]]; do
            COMP_WORDS+=("${word%%=*}" =)
            word=${word#*=}
            [[ -n $word ]] || continue 2
        done
        COMP_WORDS+=("$word")
    done
    [[ $line == *' ' || -z $line ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    compopt() { :; }
    _inflight
    echo "$line> ${COMPREPLY[*]}"
done
