import Foundation
import Testing
import VirtualBuilding

@Suite(
  "commands accept special files and files of other users only where this is safe", .timeLimit(.minutes(60)))
struct HostileFilesTests {
  private static let program = Invocation.program.path

  private func shell(_ script: String, at site: Site) async throws -> Invocation.Outcome {
    try await site.runTool(["sh", "-c", script])
  }

  /// What replaces a file, with the command that creates it.
  static let others = [
    "a pipe": "mkfifo", "no end of zeros": "ln -s /dev/zero", "a terminal's": "ln -s /dev/tty",
  ]

  @Test("a journal that is not a regular file stops the command at once", arguments: others.keys.sorted())
  func journal(other: String) async throws {
    try await Site.use([.numbered(1)]) { site in
      let run = "reports/\(Site.building)/20260901-090000-x"
      let journal = "\(run)/journal.jsonl"
      _ = try await shell("mkdir -p \(run) && \(try #require(Self.others[other])) \(journal)", at: site)
      for command in [
        ["status", "building.yaml"], ["room", "history", Site.building, "x"],
        ["report", Site.building, "20260901-090000-x"],
        ["report", "merge", "reports/\(Site.building)", "reports/\(Site.building)"],
      ] {
        try await site.run(command).expect(74, errors: journal)
      }
    }
  }

  /// The limit is that of the address space: a command that reads the whole file exceeds it.
  @Test("a journal of 2 GiB without a line end is refused without reading it into memory")
  func largeJournal() async throws {
    try await Site.use([.numbered(1)]) { site in
      let run = "reports/\(Site.building)/20260901-090000-x"
      _ = try await shell("mkdir -p \(run) && truncate -s 2G \(run)/journal.jsonl", at: site)
      for command in ["status building.yaml", "report \(Site.building) 20260901-090000-x"] {
        let outcome = try await shell("ulimit -v 1500000; exec \(Self.program) \(command)", at: site).expect(
          74, "\(command)")
        #expect(outcome.errors.contains("journal.jsonl"), "\(command)\n\(outcome)")
      }
    }
  }

  @Test("a site key that is not a regular file is refused", arguments: others.keys.sorted())
  func siteKey(other: String) async throws {
    try await Site.use([.numbered(1)]) { site in
      _ = try await shell("\(try #require(Self.others[other])) key", at: site)
      try await site.run(
        ["apply", "building.yaml", "--yes", "--simulate", "--scan-time", "1", "--site-key", "key"]).expect(
          74, errors: "the site's key: cannot open key")
    }
  }

  @Test("an endless manifest is not read to its end")
  func endless() async throws {
    try await Site.use { site in
      for arguments in [["validate", "/dev/zero"], ["apply", "/dev/zero"]] {
        try await site.run(arguments).expect(65, errors: "/dev/zero cannot be read: it is a device")
      }
      _ = try await shell("truncate -s 1T large.yaml", at: site)
      try await site.run(["validate", "large.yaml"]).expect(65, errors: "more than 64 MiB")
    }
  }

  /// Each file that a command can be given, as a pipe that nobody writes into.
  static let pipes = [
    "validate pipe", "apply pipe --simulate", "status pipe",
    "apply building.yaml --plan pipe", "apply building.yaml --simulate --scenario pipe",
    "scan building.yaml --simulate --expect pipe", "init new.yaml --from pipe", "validate secret.yaml",
    "apply secret.yaml --simulate --yes", "simulate pipe", "report check \(Site.building) --signers pipe",
    "validate table.yaml", "apply building.yaml --rooms pipe --simulate",
  ]

  @Test("a pipe that nobody writes into ends no command in a wait", arguments: pipes)
  func silentPipe(command: String) async throws {
    try await Site.use([.numbered(1)]) { site in
      _ = try await shell("mkfifo pipe", at: site)
      try site.write("table.yaml", "building: House\nrooms_from: pipe\n")
      try site.write(
        "secret.yaml",
        "building: House\nwifi: { guests: { ssid: Guests, password: { file: pipe } } }\nrooms:\n"
          + "  - { room: Lobby, minor: 1, address: 'C4:7C:8D:00:00:01', wifi: guests }\n")
      let outcome = try await shell("timeout 60 \(Self.program) \(command) </dev/null", at: site)
      #expect(outcome.status != 124, "\(outcome)")
    }
  }

  @Test("a manifest may come from a pipe")
  func manifestFromPipe() async throws {
    try await Site.use([.numbered(1)]) { site in
      try await shell("cat building.yaml | \(Self.program) validate /dev/stdin", at: site).expect(
        0, output: "can be applied")
      let applied = try await shell(
        "cat building.yaml | \(Self.program) apply /dev/stdin --yes --simulate --scan-time 1", at: site)
      #expect(applied.status == 0 && (applied.output + applied.errors).contains("1 of 1 room"), "\(applied)")
    }
  }

  @Test(
    "a manifest that others can read or change produces a warning",
    arguments: [
      ("600", nil), ("640", nil),
      ("644", "can read building.yaml, which has passwords: `chmod 600 building.yaml`"),
      ("602", "can change building.yaml"), ("666", "can read and change building.yaml"),
    ])
  func rights(mode: String, words: String?) async throws {
    try await Site.use([.numbered(1)]) { site in
      _ = try await shell("chmod \(mode) building.yaml", at: site)
      let outcome = try await site.run(["status", "building.yaml"])
      if let words {
        #expect(outcome.errors.contains("warning: other users \(words)"), "\(outcome)")
      } else {
        #expect(!outcome.errors.contains("warning"), "\(outcome)")
      }
    }
  }

  @Test("a file named by a manifest that others can read or change produces a warning, too")
  func namedFileRights() async throws {
    try await Site.use { site in
      try site.write("networks.yaml", "wifi: { guests: { ssid: Guests, password: \(Site.password) } }\n")
      try site.write("rooms.csv", "room,minor,register,address\nLobby,1,true,C4:7C:8D:00:00:01\n")
      try site.write("building.yaml", "building: House\ninclude: networks.yaml\nrooms_from: rooms.csv\n")
      let silent = try await site.run(["validate", "building.yaml"])
      #expect(silent.status == 0 && silent.errors.isEmpty, "\(silent)")
      _ = try await shell("chmod 644 *.yaml && chmod 666 rooms.csv", at: site)
      let outcome = try await site.run(["validate", "building.yaml"]).expect(0)
      #expect(
        outcome.errors == """
          roboprov: warning: other users can read networks.yaml, which has passwords: `chmod 600 networks.yaml`
          roboprov: warning: other users can change rooms.csv: `chmod 600 rooms.csv`

          """, "\(outcome)")
    }
  }

  @Test("a run creates the site key below HOME; a rehearsal creates none, and needs no home that exists")
  func home() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let site = premises.site
      try site.writeManifest([.numbered(1)])
      let home = ["HOME": site.directory.path + "/home"]
      for rehearsal in [["plan"], ["apply", "--yes"]] {
        for environment in [home, ["HOME": "/proc/1/home"]] {
          try await site.run(
            rehearsal + ["building.yaml", "--simulate", "--scan-time", "1"], environment: environment
          ).expect(0)
        }
      }
      #expect(!site.has("home"))
      try await site.run(
        ["plan", "building.yaml", "--scan-time", "1"], bus: premises.building.bus, environment: home
      ).expect(0)
      #expect(site.has("home/.local/state/roboprov/site.key"))
    }
  }

  @Test("a plan is written through a link, and a pipe stays a pipe")
  func savedPlans() async throws {
    try await Site.use([.numbered(1)]) { site in
      _ = try await shell("ln -s real/plan.json link; mkdir real; mkfifo pipe; ln -s pipe way", at: site)
      let plan = "plan building.yaml --simulate --scan-time 1 --save"
      try await shell("\(Self.program) \(plan) link", at: site).expect(0)
      try await shell("cat pipe >read & \(Self.program) \(plan) way && wait", at: site).expect(0)
      let kinds = try await shell("stat -c %F link real/plan.json pipe way", at: site)
      #expect(kinds.output == "symbolic link\nregular file\nfifo\nsymbolic link\n")
      for file in ["real/plan.json", "read"] {
        let text = try String(contentsOf: site.directory.appending(path: file), encoding: .utf8)
        #expect(JSON(text)?["schema"].text == "roboprov/plan/1", "\(file)")
      }
      try await shell(
        "\(Self.program) \(plan) /dev/full; s=$?; test -c /dev/full && exit $s", at: site
      ).expect(74)
    }
  }
}
