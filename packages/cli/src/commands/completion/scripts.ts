/*
 * Each script hands the words of the line to `PROGRAM __complete` and reads lines of `candidate<TAB>description`, the
 * last one being `:4` (nothing else), `:0` (files will do) or `:16` (directories will do).
 */

const functionName = (program: string): string => `_${program.replaceAll(/\W/g, '_')}`;

/** Bash splits words at `=` and `:`; they are joined again before they are handed over. */
export const bashScript = (program: string): string => `# bash completion for ${program}
${functionName(program)}() {
  local -a words=() answer=()
  local i word current="" directive line
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((i > 1)) && { [[ $word == [=:]* ]] || [[ \${COMP_WORDS[i-1]} == *[=:] ]]; }; then
      words[\${#words[@]}-1]+="$word"
    else
      words+=("$word")
    fi
  done
  ((\${#words[@]})) && current="\${words[\${#words[@]}-1]}"
  word="\${COMP_WORDS[COMP_CWORD]}"
  [[ $word == [=:] ]] && word=""
  local joined="\${current%"$word"}"
  while IFS= read -r line; do answer+=("$line"); done < <("\${COMP_WORDS[0]}" __complete "\${words[@]}" 2>/dev/null)
  COMPREPLY=()
  ((\${#answer[@]})) || return 0
  directive="\${answer[\${#answer[@]}-1]}"
  unset 'answer[\${#answer[@]}-1]'
  for line in "\${answer[@]}"; do
    line="\${line%%$'\\t'*}"
    COMPREPLY+=("\${line#"$joined"}")
  done
  case $directive in
    :0) compopt -o default 2>/dev/null; while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word") ;;
    :16) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$word") ;;
  esac
}
complete -F ${functionName(program)} ${program}`;

export const zshScript = (program: string): string => `#compdef ${program}
# zsh completion for ${program}
${functionName(program)}() {
  local -a answer candidates
  answer=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  local directive="\${answer[-1]}" line
  for line in "\${(@)answer[1,-2]}"; do
    line="\${line//:/\\\\:}"
    candidates+=("\${line/$'\\t'/:}")
  done
  case $directive in
    :0) (( \${#candidates} )) && _describe -V candidate candidates; _files ;;
    :16) _files -/ ;;
    *) (( \${#candidates} )) && _describe -V candidate candidates ;;
  esac
}
compdef ${functionName(program)} ${program}`;

export const fishScript = (program: string): string => `# fish completion for ${program}
function ${functionName(program)}
  set -l words (commandline -opc) (commandline -ct)
  set -l answer ($words[1] __complete $words[2..-1] 2>/dev/null)
  test (count $answer) -gt 0; or return
  switch $answer[-1]
    case :0
      test (count $answer) -gt 1; and printf '%s\\n' $answer[1..-2]
      __fish_complete_path (commandline -ct)
    case :16
      __fish_complete_directories (commandline -ct)
    case '*'
      test (count $answer) -gt 1; and printf '%s\\n' $answer[1..-2]
  end
end
complete -c ${program} -f -a '(${functionName(program)})'`;

export const powershellScript = (program: string): string => `# powershell completion for ${program}
Register-ArgumentCompleter -Native -CommandName '${program}' -ScriptBlock {
  param($current, $line, $cursor)
  $words = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursor } | ForEach-Object { $_.ToString() })
  if ($current -eq '') { $words += '""' }
  $rest = @($words | Select-Object -Skip 1)
  & $words[0] __complete @rest 2>$null | Where-Object { $_ -notmatch '^:\\d+$' } | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    if (-not $description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
  }
}`;
