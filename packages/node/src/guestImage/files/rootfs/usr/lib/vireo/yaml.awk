# Prints every scalar of a YAML or JSON document as one line: its path, a tab, its value. Steps of a path are divided
# by slashes and count from 0 in sequences; in values, backslash, newline and tab are escaped as in C.
# Read: block and flow collections, plain and quoted scalars also over several lines, literal and folded blocks,
# comments. Not read: anchors, aliases, tags other than those it can skip, several documents, complex keys.

{ sub(/\r$/, ""); line[NR] = $0 }

END {
  count = NR
  pos = 1
  if (indent_here() >= 0) node("", 0)
}

function emit(path, value) {
  gsub(/\\/, "\\\\", value)
  gsub(/\n/, "\\n", value)
  gsub(/\t/, "\\t", value)
  print path "\t" value
}

function below(path, step) { return path == "" ? step : path "/" step }

# Moves to the next line with content; its indentation, or -1 at the end.
function indent_here() {
  while (pos <= count && line[pos] ~ /^[ \t]*(#.*)?$|^(---|\.\.\.)[ \t]*(#.*)?$|^%/) pos++
  return pos > count ? -1 : match(line[pos], /[^ ]/) - 1
}

function node(path, min,   indent, text) {
  indent = indent_here()
  if (indent < min) { emit(path, ""); return }
  text = substr(line[pos], indent + 1)
  if (text ~ /^-([ \t]|$)/) sequence(path, indent)
  else if (key_length(text)) mapping(path, indent)
  else { line[pos] = ""; scalar(path, text, min - 1) }
}

function sequence(path, indent,   index_, text) {
  for (index_ = 0; indent_here() == indent; index_++) {
    text = substr(line[pos], indent + 1)
    if (text !~ /^-([ \t]|$)/) break
    # The dash becomes a blank, so that what follows it reads as a node of its own, further in.
    line[pos] = substr(line[pos], 1, indent) " " substr(text, 2)
    node(below(path, index_), indent + 1)
  }
}

function mapping(path, indent,   text, length_, key, rest, next_) {
  while (indent_here() == indent) {
    text = substr(line[pos], indent + 1)
    length_ = key_length(text)
    if (!length_ || text ~ /^-([ \t]|$)/) break
    key = unquote(substr(text, 1, length_))
    rest = strip(substr(text, length_ + 1))
    rest = strip(substr(rest, 2))
    if (rest ~ /^#/) rest = ""
    line[pos] = ""
    if (rest != "") { scalar(below(path, key), rest, indent); continue }
    next_ = indent_here()
    if (next_ == indent && line[pos] ~ /^ *-([ \t]|$)/) sequence(below(path, key), indent)
    else if (next_ > indent) node(below(path, key), indent + 1)
    else emit(below(path, key), "")
  }
}

# How long the key at the start of a line is, 0 if there is none.
function key_length(text) {
  if (text ~ /^"/) return match(text, /^"([^"\\]|\\.)*"[ \t]*:([ \t]|$)/) ? end_of_quote(text, "\"") : 0
  if (text ~ /^'/) return match(text, /^'[^']*'[ \t]*:([ \t]|$)/) ? end_of_quote(text, "'") : 0
  if (text ~ /^[[{|>]/) return 0
  return match(text, /^[^#]*:([ \t]|$)/) && match(text, /:([ \t]|$)/) ? RSTART - 1 : 0
}

# A scalar or flow collection that starts with `text` on the current line, whose content is blanked already.
function scalar(path, text, indent,   next_) {
  while (text ~ /^!/) { sub(/^![^ \t]*[ \t]*/, "", text); if (text == "") { pos++; node(path, indent + 1); return } }
  if (text ~ /^[|>]/) { pos++; block_scalar(path, text, indent); return }
  if (text ~ /^[[{"']/) {
    while (!complete(text) && pos < count) {
      pos++
      text = text " " strip(line[pos])
    }
    pos++
    source = text
    at = 1
    flow(path)
    return
  }
  sub(/[ \t]+#.*$/, "", text)
  pos++
  for (next_ = indent_here(); next_ > indent; next_ = indent_here()) {
    text = text " " strip(line[pos])
    pos++
  }
  emit(path, plain(strip(text)))
}

# Lines of a block are joined by newlines; in a folded one by blanks, unless one of the two is indented or a blank line
# lies between them.
function block_scalar(path, header, indent,   folded, own, text, value, blank, here, indented, was_indented) {
  folded = header ~ /^>/
  own = match(header, /^[|>][-+]?[0-9]/) ? indent + substr(header, RLENGTH, 1) : 0
  value = ""; blank = 0; was_indented = 1
  for (; pos <= count; pos++) {
    text = line[pos]
    if (text ~ /^ *$/ && (!own || length(text) <= own)) { blank++; continue }
    here = match(text, /[^ ]/) - 1
    if (!own) own = here
    if (here < own || own <= indent) break
    text = substr(text, own + 1)
    indented = text ~ /^[ \t]/
    if (value == "") value = newlines(blank) text
    else if (folded && !indented && !was_indented) value = value (blank ? newlines(blank) : " ") text
    else value = value newlines(blank + 1) text
    was_indented = indented
    blank = 0
  }
  if (value != "" && header !~ /^[|>][0-9]*-/) value = value "\n"
  if (header ~ /^[|>][0-9]*\+/) value = value newlines(blank)
  emit(path, value)
}

function newlines(n,   text) { for (text = ""; n > 0; n--) text = text "\n"; return text }

# Whether all brackets and quotes of the text are closed.
function complete(text,   i, c, depth, quote) {
  depth = 0; quote = ""
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (quote == "\"" && c == "\\") i++
    else if (quote != "") { if (c == quote) quote = "" }
    else if (c == "\"" || c == "'") quote = c
    else if (c == "[" || c == "{") depth++
    else if (c == "]" || c == "}") depth--
    if (depth == 0 && quote == "") return 1
  }
  return 0
}

# Reads one value of flow style from `source` at `at`.
function flow(path,   c, i, key) {
  skip_blanks()
  c = substr(source, at, 1)
  if (c == "[") {
    at++
    for (i = 0; flow_more("]"); i++) flow(below(path, i))
  } else if (c == "{") {
    at++
    while (flow_more("}")) {
      key = flow_scalar(":")
      skip_blanks()
      if (substr(source, at, 1) == ":") { at++; flow(below(path, key)) } else emit(below(path, key), "")
    }
  } else emit(path, flow_scalar(""))
}

# Whether another element comes before the closing bracket; moves past commas and the bracket.
function flow_more(close_) {
  skip_blanks()
  while (substr(source, at, 1) == ",") { at++; skip_blanks() }
  if (at > length(source)) return 0
  if (substr(source, at, 1) != close_) return 1
  at++
  return 0
}

function flow_scalar(stop,   c, start, length_, text) {
  skip_blanks()
  start = at
  c = substr(source, at, 1)
  if (c == "\"" || c == "'") {
    length_ = end_of_quote(substr(source, at), c)
    at += length_
    return unquote(substr(source, start, length_))
  }
  for (; at <= length(source); at++) {
    c = substr(source, at, 1)
    if (c ~ /[],}]/ || (c == ":" && stop == ":")) break
  }
  text = substr(source, start, at - start)
  return plain(strip(text))
}

function skip_blanks() { while (substr(source, at, 1) ~ /[ \t]/) at++ }

function strip(text) { sub(/^[ \t]+/, "", text); sub(/[ \t]+$/, "", text); return text }

function plain(text) { return text == "null" || text == "~" ? "" : text }

# The length of the quoted text at the start, quotes included.
function end_of_quote(text, quote,   i, c) {
  for (i = 2; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (quote == "\"" && c == "\\") i++
    else if (c == quote) {
      if (quote == "'" && substr(text, i + 1, 1) == "'") i++
      else return i
    }
  }
  return length(text)
}

function unquote(text,   inner, value, i, c) {
  text = strip(text)
  if (text ~ /^'/) {
    inner = substr(text, 2, length(text) - 2)
    gsub(/''/, "'", inner)
    return inner
  }
  if (text !~ /^"/) return text
  value = ""
  for (i = 2; i < length(text); i++) {
    c = substr(text, i, 1)
    if (c != "\\") { value = value c; continue }
    c = substr(text, ++i, 1)
    if (c == "n") value = value "\n"
    else if (c == "t") value = value "\t"
    else if (c == "r") value = value "\r"
    else if (c == "e") value = value "\033"
    else if (c == "x") { value = value utf8(hex(substr(text, i + 1, 2))); i += 2 }
    else if (c == "u") { value = value utf8(hex(substr(text, i + 1, 4))); i += 4 }
    else value = value c
  }
  return value
}

function hex(digits,   i, n) {
  n = 0
  for (i = 1; i <= length(digits); i++) n = n * 16 + index("0123456789abcdef", tolower(substr(digits, i, 1))) - 1
  return n
}

function utf8(n) {
  if (n < 128) return sprintf("%c", n)
  if (n < 2048) return sprintf("%c%c", 192 + int(n / 64), 128 + n % 64)
  return sprintf("%c%c%c", 224 + int(n / 4096), 128 + int(n / 64) % 64, 128 + n % 64)
}
