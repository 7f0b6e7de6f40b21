# SPDX-License-Identifier: Apache-2.0
# Completion for bash. The words come from the program's own tables (inflight --words), so that they cannot
# fall behind it.

_inflight()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words
    compopt +o nospace 2>/dev/null

    if ((COMP_CWORD == 1)); then
        words="$(inflight --words 2>/dev/null) --help --version"
    elif [[ $command == help ]]; then
        words=$(inflight --words topics 2>/dev/null)
    elif [[ $word == -* ]]; then
        words=$(inflight --words "$command" 2>/dev/null)
        compopt -o nospace 2>/dev/null
    else
        case $before in
        --color) words="auto always never" ;;
        --dump) words="ptx program code" ;;
        --vector-width) words="base v3 v4" ;;
        *)
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            compopt -o filenames 2>/dev/null
            return
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _inflight inflight
