#compdef inflight
# SPDX-License-Identifier: Apache-2.0
# Completion for zsh. The words come from the program's own tables (inflight --words), so that they cannot
# fall behind it: commands, options, topics, GPUs, the lab's cases, the kernels of the file on the line.

_inflight_words()
{
    local -a found
    found=(${(f)"$(inflight --words "$@" 2>/dev/null)"})
    compadd -- $found
}

_inflight()
{
    local before=${words[CURRENT-1]} file
    local -a options

    if ((CURRENT == 2)); then
        _inflight_words
        compadd -- --help --version
        return
    fi
    if [[ ${words[2]} == help ]]; then
        _inflight_words topics
        return
    fi
    if [[ ${words[CURRENT]} == -* ]]; then
        options=(${(f)"$(inflight --words ${words[2]} 2>/dev/null)"})
        compadd -S '' -- ${(M)options:#*=}
        compadd -- ${options:#*=}
        return
    fi
    file=${words[(r)*.(ptx|cubin|fatbin|cu|so|o)]}
    case $before in
    --color) compadd auto always never ;;
    --dump) compadd ptx program code ;;
    --code) compadd ptx machine ;;
    --on) compadd engine gpu ;;
    --between) compadd rotate flush warm ;;
    --format) compadd text json sarif junit github gitlab markdown ;;
    --vector-width) compadd base v3 v4 ;;
    --gpu) _inflight_words gpus ;;
    -k | --kernel) _inflight_words kernels "$file" ;;
    *)
        case ${words[2]} in
        devices) _inflight_words gpus ;;
        lab) _inflight_words cases ;;
        *) _files ;;
        esac
        ;;
    esac
}

_inflight "$@"
