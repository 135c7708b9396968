# Completion of gleaner in bash and zsh. To have it now: source <(gleaner completion bash), or zsh.
# To keep it: put that line into ~/.bashrc, or ~/.zshrc after compinit.
if [ -n "${ZSH_VERSION-}" ]; then
  autoload -Uz bashcompinit && bashcompinit
fi

# What may follow an option of a command, or its files: words, collectors, workloads, files or nothing.
_gleaner_kind() { # command, option or ""
  case "$1 $2" in
@KINDS@
    *) echo nothing ;;
  esac
}

_gleaner_options() { # command
  case $1 in
@OPTIONS@
  esac
}

_gleaner_parameters() { # workload
  case $1 in
@PARAMETERS@
  esac
}

_gleaner() {
  local line words word typed cur prefix kind command option wordlist last i
  if [ -n "${ZSH_VERSION-}" ]; then
    emulate -L ksh
  fi
  line=${COMP_LINE:0:$COMP_POINT}
  # Parted by blanks alone: bash parts at : and = as well.
  words=()
  if [ -n "${ZSH_VERSION-}" ]; then
    read -r -A words <<<"$line"
  else
    read -r -a words <<<"$line"
  fi
  case $line in *[[:space:]]) words+=("") ;; esac
  last=$((${#words[@]} - 1))
  typed=${words[$last]}
  command=
  for ((i = 1; i < last; i++)); do
    case ${words[$i]} in
      -*) ;;
      *) command=${words[$i]} && break ;;
    esac
  done

  cur=$typed prefix= option=
  case $typed in
    --*=*) option=${typed%%=*} prefix=${typed%%=*}= cur=${typed#*=} ;;
    *)
      word=${words[$last - 1]}
      case $word in
        -*) if [ "$(_gleaner_kind "$command" "$word")" != flag ]; then option=$word; fi ;;
      esac
      ;;
  esac

  COMPREPLY=()
  if [ -z "$command" ]; then
    kind="words @COMMANDS@ --help --version"
  elif [ -z "$option" ] && [ "${cur:0:1}" = - ]; then
    kind="words $(_gleaner_options "$command")"
  else
    kind=$(_gleaner_kind "$command" "$option")
  fi
  case $kind in
    files) return ;; # the shell's own
    nothing | flag) compopt +o default 2>/dev/null ;;
    words*) wordlist=${kind#words } ;;
    collectors) prefix=$prefix${cur%"${cur##*,}"} cur=${cur##*,} wordlist="@COLLECTORS@" ;;
    workloads)
      case $cur in
        *:*)
          wordlist=$(_gleaner_parameters "${cur%%:*}")
          word=${cur##*[:,]}
          prefix=$prefix${cur%"$word"} cur=$word
          ;;
        *) wordlist="@WORKLOADS@" ;;
      esac
      ;;
  esac
  for word in ${wordlist-}; do
    case $word in "$cur"*) COMPREPLY+=("$prefix$word") ;; esac
  done
  if [ -z "${ZSH_VERSION-}" ]; then
    # bash replaces what follows the last : or =
    word=${typed##*[:=]}
    prefix=${typed%"$word"}
    for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
      COMPREPLY[$i]=${COMPREPLY[$i]#"$prefix"}
    done
  fi
}
complete -o default -F _gleaner gleaner
