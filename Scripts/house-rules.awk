# The house rules about Swift sources: awk -f house-rules.awk imports.txt Package.swift Sources/…/*.swift
#
# Checks code only: comments and string literals are removed first. Interpolations are removed with their literal and
# are therefore not checked.

# --- Scripts/imports.txt ---

FILENAME ~ /imports\.txt$/ {
  if ($0 ~ /^[A-Za-z-]+:/) {
    target = substr($1, 1, length($1) - 1)
    known[target] = 1
    ours[target] = 1
    tableLine[target] = FNR
    for (i = 2; i <= NF; i++) { allowed[target, $i] = 1; ours[$i] = 1 }
  }
  next
}

# --- Every Swift file: reduce it to code ---

FNR == 1 { inText = 0 }
{ code = codeOf($0) }

# --- Package.swift: dependencies point down only ---

FILENAME == "Package.swift" {
  rest = code == "" ? "" : $0
  # Target and dependency names are string literals: read the original line without its comment.
  sub(/[ \t]*\/\/.*/, "", rest)
  sub(/exclude: *\[[^]]*\]/, "", rest)
  if (rest ~ /^ *(library|tests|\.target|\.testTarget|\.systemLibrary|\.executableTarget)\(/ || rest ~ /^ *(public )?func /) {
    declaring = rest ~ /^ *(library|\.executableTarget)\(/
    wantsName = declaring
  }
  while (declaring && match(rest, /"[^"]*"/)) {
    before = substr(rest, 1, RSTART - 1)
    word = substr(rest, RSTART + 1, RLENGTH - 2)
    rest = substr(rest, RSTART + RLENGTH)
    if (before ~ /(package|path): *$|embedInCode\($/) continue
    if (wantsName) {
      owner = word
      wantsName = 0
      if (!(owner in known)) report("target " owner " is not in Scripts/imports.txt: list its permitted imports there")
    } else if (owner in known && !((owner, word) in allowed)) {
      report(owner " may not depend on " word " (Scripts/imports.txt)")
    }
    declared[owner] = 1
  }
  next
}

# --- Sources: imports ---

{
  split(FILENAME, path, "/")
  target = path[2]
  # `Host` is the computer and this process, for the application.
  below = target != "RoboprovCLI" && target != "roboprov" && target != "Host"
}

code ~ /^ *(@[A-Za-z_]+(\([a-z]+\))? +)*((public|package|internal|fileprivate|private) +)?import +/ {
  module = code
  sub(/^.*import +((struct|class|enum|protocol|typealias|func|let|var) +)?/, "", module)
  sub(/[^A-Za-z0-9_].*$/, "", module)
  # Generated code imports Foundation only where there is no FoundationEssentials.
  if (FILENAME ~ /^Sources\// && FILENAME !~ /\.pb\.swift$/ && module ~ /^Foundation(Internationalization)?$/) {
    report("import FoundationEssentials instead: " module " brings ICU, 45 MB, into the program")
  }
  if (!(target in known)) report("target " target " is not in Scripts/imports.txt: list its permitted imports there")
  else if (module in ours && !((target, module) in allowed)) report(target " may not import " module " (Scripts/imports.txt)")
  next
}

# --- Sources below the command line: no clock, random generator, unstructured task or terminal ---

below {
  forbid("Date(\\(\\)|\\.now|\\.init\\(\\))", "the wall clock: take the time from a TimeSource that is passed in")
  # EventLoop implements the real clock. The bus is outside virtual time, so DBus uses it for the deadlines of calls.
  if (target != "DBus" && target != "EventLoop") forbid("(ContinuousClock|SuspendingClock)", "a real clock: take a TimeSource that is passed in")
  if (target != "EventLoop") forbid("Task\\.sleep *\\(", "sleeping on a real clock: sleep on a TimeSource that is passed in")
  forbid("(usleep|nanosleep) *\\(", "sleeping on a real clock: sleep on a TimeSource that is passed in")

  # These run work under another executor, or without its caller's cancellation, and wait for its end.
  waits = FILENAME ~ /^(Sources\/EventLoop\/LoopExecutor|Campaigns\/VirtualTime\/VirtualTime|Sources\/BlueZ\/Teardown)\.swift$/
  if (!waits || code !~ /Task\(executorPreference: executor(\.tasks)?\) \{/) {
    forbid("Task(<[^>]*>)?(\\.init|\\.detached|\\.immediate[A-Za-z]*)? *[({]", "an unstructured task: use a task group, or an executor that is passed in")
  }

  forbid("SystemRandomNumberGenerator", "chance of our own: take a generator that is passed in")
  forbid("UUID\\(\\)", "chance of our own: take a generator that is passed in")
  forbid("arc4random[a-z_]* *\\(", "chance of our own: take a generator that is passed in")
  if (code !~ /using:/) {
    forbidMember("random\\([^)]", "chance of our own: pass a generator with using:")
    forbidMember("(randomElement|shuffled|shuffle|random)\\(\\)", "chance of our own: pass a generator with using:")
  }

  forbid("(print|debugPrint|dump|NSLog|puts|printf) *\\(", "printing below the command line: return a value, or an event")
  forbid("(CommandLine\\.|ProcessInfo\\.processInfo\\.(arguments|environment)|getenv *\\()", "arguments and environment are the command line's: take a value that is passed in")
  forbid("(exit|abort|_exit) *\\(", "ending the process is the command line's: throw")
}

# --- Sources: unsafe pointers only in DBus, YAML, Workbook and EventLoop ---

target != "DBus" && target != "YAML" && target != "Workbook" && target != "EventLoop" {
  forbid("Unsafe(Mutable)?(Raw)?(Buffer)?Pointer", "an unsafe pointer outside DBus, YAML, Workbook and EventLoop")
  forbidMember("withUnsafe[A-Za-z]*", "an unsafe pointer outside DBus, YAML, Workbook and EventLoop")
  forbid("(Unmanaged|unsafeBitCast|withUnsafe[A-Za-z]*)", "an unsafe pointer outside DBus, YAML, Workbook and EventLoop")
  # HTTP uses the handle of libmicrohttpd.
  if (target != "HTTP") forbid("OpaquePointer", "an unsafe pointer outside DBus, YAML, Workbook and EventLoop")
  forbid("@unchecked +Sendable", "an unchecked promise outside DBus, YAML, Workbook and EventLoop")
  forbid("nonisolated\\(unsafe\\)", "an unchecked promise outside DBus, YAML, Workbook and EventLoop")
}

# --- Sources: a number or a time from outside has bounds, so that no later arithmetic traps ---

FILENAME ~ /^Sources\// && FILENAME !~ /(^Sources\/Model\/(Text\/WrittenNumbers|Events\/Timestamp)|\.pb)\.swift$/ {
  # Only a conversion of a text is failable and has no label. 8 and 16 bits are bounds.
  read = "(U?Int(32|64)?|Double|Float)"
  wide = "(^|[^A-Za-z0-9_.])" read "\\(([^:()]|\\([^:()]*\\))*\\)"
  if (code ~ ("(let|var) [A-Za-z]+ =" wide "(,| else| *\\{)") \
    || code ~ ("(compactMap|flatMap|allSatisfy) *[({] *\\{?" wide) \
    || code ~ ("(compactMap|flatMap) *[({] *" read "(\\.init)? *[)}]") \
    || code ~ (wide "(\\?\\.|!|\\.map|\\.flatMap| \\?\\?| [!=]= nil)") \
    || code ~ ("(^|[^A-Za-z0-9_.])(Int|Int64|Double)\\((text|digits|word|name|line|argument)(\\.drop[A-Za-z]*\\([^()]*\\))?\\)"))
    report("a number from a text without bounds: Int(text, in: …) (Sources/Model/Text/WrittenNumbers.swift)")
  forbidMember("parse\\(", "a time from a text without bounds: Timestamp(text)")
  forbid("abs\\(", "abs traps for the least integer: use magnitude")
}

END {
  for (target in known)
    if (target !~ /^C[A-Z]/ && !(target in declared))
      reportAt("Scripts/imports.txt:" tableLine[target], "Package.swift has no target " target)
  exit broken
}

# Reports code that contains the pattern as a separate word, not as a member.
function forbid(pattern, why) { if (code ~ ("(^|[^A-Za-z0-9_.])" pattern)) report(why) }

# Reports code that contains the pattern as a member.
function forbidMember(pattern, why) { if (code ~ ("\\." pattern)) report(why) }

function report(why) { reportAt(FILENAME ":" FNR, why) }
function reportAt(place, why) { print place ": " why; broken = 1 }

# The line without comments and contents of string literals; tracks """ across lines.
function codeOf(line,    parts, i, n, text) {
  n = split(line, parts, /"""/)
  text = ""
  for (i = 1; i <= n; i++) {
    if (i > 1) inText = !inText
    if (inText) continue
    text = text parts[i]
  }
  gsub(/\\\\/, "", text)
  gsub(/\\"/, "", text)
  gsub(/"[^"]*"/, "\"\"", text)
  sub(/\/\/.*$/, "", text)
  return text
}
