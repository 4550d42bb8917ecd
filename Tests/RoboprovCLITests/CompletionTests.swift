import ArgumentParser
import Foundation
import Testing

@testable import Application
@testable import RoboprovCLI

@Suite("shells complete command lines", .timeLimit(.minutes(60)))
struct CompletionTests {
  // MARK: Words

  @Test(
    "the completed word is read by the rules of the shell",
    arguments: [
      ("Room\\ 3", "Room 3"), ("'Room 3", "Room 3"), (#""Room 3""#, "Room 3"), (#""a\"b\x""#, #"a"b\x"#),
      (#"'a\b'"#, #"a\b"#),
      ("\\$\\(x\\)", "$(x)"), ("plain", "plain"), ("", ""),
    ])
  func words(_ word: String, _ text: String) {
    #expect(ShellWord.text(of: word) == text)
  }

  @Test("a candidate is escaped for its shell")
  func candidates() {
    #expect(ShellWord.candidate("floor:3 (x)", for: .bash) == #"floor:3\ \(x\)"#)
    #expect(ShellWord.candidate("Räume*", for: .bash) == #"Räume\*"#)
    #expect(ShellWord.candidate(#"floor:3 \"#, for: .zsh) == #"floor\:3 \\"#)
    #expect(ShellWord.candidate("floor:3 $(x)", for: .fish) == "floor:3 $(x)")
  }

  @Test("a name that bash expands in a completed line is not offered", arguments: ["a$b", "`a`", "a!"])
  func expanded(_ name: String) {
    #expect(ShellWord.candidate(name, for: .bash) == nil)
    #expect(ShellWord.candidate(name, for: .zsh) == name)
  }

  @Test("rooms are completed by id, and by name once its beginning is typed")
  func rooms() {
    let rooms = [("room-1", "Room 1"), ("lobby", "lobby")].map {
      CompletionCandidates.Room(id: $0.0, name: $0.1)
    }
    #expect(CompletionCandidates.rooms(rooms, beginningWith: "") == ["room-1", "lobby"])
    #expect(CompletionCandidates.rooms(rooms, beginningWith: "Ro") == ["Room 1"])
    #expect(CompletionCandidates.rooms(rooms, beginningWith: "lob") == ["lobby"])
  }

  // MARK: bash

  /// A room's name with nearly all characters that are special in a shell.
  private static let bell = #"Bell; * (?) & <"x"> it's | \"#

  /// A site with a manifest, and the script for bash.
  private static func use(_ body: (Site) async throws -> Void) async throws {
    try await Site.use { site in
      try site.write(
        "building.yaml",
        """
        building: Harbour House
        id: harbour
        match: any
        floors:
          - floor: 3
            tags: [suite]
            rooms:
              - { room: "Room {101..103}", minor: 101 }
        rooms:
          - { room: "$(touch pwned)", id: hostile, minor: 7 }
          - { room: 'Bell; * (?) & <"x"> it''s | \\', id: bell, minor: 8 }
          - { room: "Bell `touch pwned`", id: tick, minor: 9 }
        """)
      try site.write("rooms.csv", "room,minor\n")
      let script = try await site.run(["completions", "bash"]).expect(0)
      try site.write("roboprov.bash", script.output)
      try site.write(
        "complete.sh",
        """
        source ./roboprov.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
        COMP_POINT=${#COMP_LINE}
        function=$(complete -p roboprov | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
        "$function" roboprov "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """)
      try await body(site)
      #expect(!site.has("pwned"), "a name in a manifest was run as a command")
    }
  }

  private static let path = "PATH=\(Invocation.program.deletingLastPathComponent().path):/usr/bin:/bin"

  /// The candidates of the script for the last word.
  private static func offered(_ words: [String], at site: Site) async throws -> [String] {
    let outcome = try await site.runTool(["env", path, "bash", "complete.sh", "roboprov"] + words)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test(
    "bash completes commands, options, files, rooms, floors and tags",
    arguments: [
      (["ap"], ["apply"]), (["report", "si"], ["sign"]), (["room", "ren"], ["rename"]),
      (["scan", "--wat"], ["--watch"]),
      (["apply", "buil"], ["building.yaml"]), (["init", "--from", ""], ["rooms.csv"]),
      (["completions", ""], ["bash", "zsh", "fish"]), (["scan", "--output", ""], ["text", "json"]),
      (
        ["apply", "building.yaml", "--only", ""],
        ["hostile", "bell", "tick", "room-101", "room-102", "room-103", "floor:3", "tag:suite"]
      ),
      (["apply", "building.yaml", "--force", "room-10"], ["room-101", "room-102", "room-103"]),
      (["room", "accept", "building.yaml", "Room\\ 10"], ["Room 101", "Room 102", "Room 103"]),
      (["room", "retire", "building.yaml", "\\$"], []), (["room", "retire", "building.yaml", "Be"], [bell]),
      (["room", "retire", "nowhere.yaml", ""], []),
    ])
  func bash(_ words: [String], _ expected: [String]) async throws {
    try await Self.use { site in
      let offered = try await Self.offered(words, at: site)
      #expect(offered.sorted() == expected.sorted())
    }
  }

  @Test("bash completes the buildings in the reports directory, and their rooms")
  func buildings() async throws {
    try await Self.use { site in
      for (folder, building) in [("reports", "harbour"), ("elsewhere", "other")] {
        let place = site.directory.appending(path: "\(folder)/\(building)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try site.write(
          "\(folder)/\(building)/building.json",
          #"{"rooms": [{"id": "attic", "room": "The Attic", "state": 1}]}"#)
      }
      #expect(try await Self.offered(["status", "ha"], at: site) == ["harbour"])
      #expect(try await Self.offered(["room", "history", "harbour", ""], at: site) == ["attic"])
      #expect(try await Self.offered(["room", "history", "harbour", "The"], at: site) == ["The Attic"])
      #expect(try await Self.offered(["status", "--reports", "elsewhere", "o"], at: site) == ["other"])
      #expect(try await Self.offered(["status", "bui"], at: site) == ["building.yaml"])
    }
  }

  @Test(
    "a name completed at a terminal is one word of the command line",
    arguments: [
      ("room accept", "Room\\ 101", "Room 101"), ("room accept", "Be", bell),
      ("room accept", "host", "hostile"),
      ("apply", "--only floor:", "--only><floor:3"), ("apply", "--only tag:su", "--only><tag:suite"),
    ])
  func terminal(_ command: String, _ typed: String, _ words: String) async throws {
    try await Self.use { site in
      // The completed line becomes the arguments of printf.
      let line = "roboprov \(command) building.yaml \(typed)"
      let keys = "source ./roboprov.bash\n\(line)\t\u{1}printf '<%s>' \nexit\n"
      try site.write("keys", keys)
      let shell = "script -q -e -c 'bash --norc --noprofile -i' /dev/null <keys"
      try await site.runTool(["env", Self.path, "TERM=dumb", "bash", "-c", shell]).expect(
        output: "<roboprov><\(command.replacing(" ", with: "><"))><building.yaml><\(words)>")
    }
  }

  @Test(
    "zsh and fish have a completion script",
    arguments: [("zsh", "#compdef roboprov"), ("fish", "complete -c 'roboprov'")])
  func others(_ shell: String, _ words: String) async throws {
    try await Site.use { site in
      _ = try await site.run(["completions", shell]).expect(0, output: words)
    }
  }
}
