# SPDX-License-Identifier: Apache-2.0
# Completion for bash. The words come from the program's own tables (inflight --words), so that they cannot
# fall behind it: commands, options, topics, GPUs, the lab's cases, the kernels of the file on the line.

_inflight_file()
{
    local each
    for each in "${COMP_WORDS[@]:2}"; do
        case $each in
        *.ptx | *.cubin | *.fatbin | *.cu | *.so | *.o) printf '%s\n' "$each" && return ;;
        esac
    done
}

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
        --code) words="ptx machine" ;;
        --on) words="engine gpu" ;;
        --between) words="rotate flush warm" ;;
        --format) words="text json sarif junit github gitlab markdown" ;;
        --vector-width) words="base v3 v4" ;;
        --gpu) words=$(inflight --words gpus 2>/dev/null) ;;
        -k | --kernel) words=$(inflight --words kernels "$(_inflight_file)" 2>/dev/null) ;;
        *)
            case $command in
            devices) words=$(inflight --words gpus 2>/dev/null) ;;
            lab) words=$(inflight --words cases 2>/dev/null) ;;
            *)
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
                compopt -o filenames 2>/dev/null
                return
                ;;
            esac
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _inflight inflight
