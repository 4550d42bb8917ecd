import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a manifest refers to a password stored elsewhere", .timeLimit(.minutes(60)))
struct SecretTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1"]
  private static let variable = ["WIFI_PASSWORD": Site.password]

  /// A building of one sensor with this password source.
  private func withPassword(
    _ password: String, count: Int = 1, _ body: @escaping @Sendable (Premises) async throws -> Void
  ) async throws {
    try await Premises.serve(count, toPrograms: true) { premises in
      try premises.site.writeManifest((1...count).map { .numbered($0) }, password: password)
      try await body(premises)
    }
  }

  /// Runs a command without a terminal, wherever these tests run.
  private func run(
    _ premises: Premises, _ arguments: [String] = apply, _ environment: [String: String] = [:]
  ) async throws -> Invocation.Outcome {
    try await premises.site.run(
      arguments, bus: premises.building.bus, environment: environment, through: ["setsid", "-w"])
  }

  // MARK: Sources

  @Test(
    "a password from a variable, a file or a program reaches the sensor and no record",
    arguments: [
      "{ env: WIFI_PASSWORD }", "{ file: wifi.txt }", "{ file: ./unended.txt }", "{ file: windows.txt }",
      "{ command: [cat, wifi.txt] }", "{ command: [sh, -c, 'printf %s \"$0\"', \(Site.password)] }",
    ])
  func sources(password: String) async throws {
    try await withPassword(password) { premises in
      try premises.site.write("wifi.txt", Site.password + "\n")
      try premises.site.write("unended.txt", Site.password)
      try premises.site.write("windows.txt", Site.password + "\r\n")
      let outcome = try await run(premises, Self.apply, Self.variable).expect(0)
      #expect(await premises.building.flash(1)?.password == Site.password)
      #expect(!"\(outcome)".contains(Site.password))
      let journal = try premises.site.text(of: "journal.jsonl")
      #expect(!journal.contains(Site.password))
      #expect(journal.contains("fingerprint"), "a change of the password is detectable")
    }
  }

  @Test("a password file is relative to the manifest")
  func relative() async throws {
    try await withPassword("{ file: wifi.txt }") { premises in
      let folder = premises.site.directory.appending(path: "manifest")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try premises.site.write("manifest/wifi.txt", Site.password)
      try premises.site.write("manifest/building.yaml", try premises.manifest())
      try await run(premises, ["apply", "manifest/building.yaml", "--yes", "--scan-time", "1"]).expect(0)
      #expect(await premises.building.flash(1)?.password == Site.password)
    }
  }

  @Test("a password file that others can read produces a warning and is used")
  func readableByOthers() async throws {
    try await withPassword("{ file: wifi.txt }") { premises in
      try premises.site.write("wifi.txt", Site.password)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: premises.site.directory.path + "/wifi.txt")
      try await run(premises, ["plan", "building.yaml", "--scan-time", "1"]).expect(
        0, errors: "other users can read wifi.txt, which has a password: `chmod 600 wifi.txt`")
    }
  }

  @Test("a program that supplies a password does not inherit another password")
  func environmentOfCommands() async throws {
    try await withPassword("{ env: WIFI_PASSWORD }", count: 1) { premises in
      let manifest = try premises.manifest().replacing(
        "rooms:\n  - { ",
        with:
          "rooms:\n  - { wifi: { ssid: S, password: { command: [sh, -c, 'env >seen.txt; echo 12345678'] } }, "
      )
      try premises.site.write("building.yaml", manifest)
      try await run(premises, Self.apply, Self.variable).expect(0)
      let seen = try String(contentsOf: premises.site.directory.appending(path: "seen.txt"), encoding: .utf8)
      #expect(seen.contains("PATH=") && !seen.contains("WIFI_PASSWORD"), "no room has that network")
    }
  }

  @Test("messages of a password program are shown, and a password that the sensor repeats is not")
  func redaction() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)], password: "{ command: [sh, -c, 'echo ask >&2; cat wifi.txt'] }")
      try site.write("wifi.txt", Site.password)
      let sensor = ServedBuilding.sensor(1, .errorOnSave("no network with \(Site.password)"))
      try await ServedBuilding.serve([sensor]) { building in
        let outcome = try await site.run(Self.apply, bus: building.bus, through: ["setsid", "-w"]).expect(
          100, errors: "ask\n", "no network with •••")
        #expect(!"\(outcome)".contains(Site.password))
      }
    }
  }

  // MARK: Missing passwords

  @Test("all missing passwords are reported together, each with advice, and no sensor is written")
  func missing() async throws {
    try await withPassword("{ env: WIFI_PASSWORD }", count: 1) { premises in
      let sources = [
        "{ file: nowhere.txt }", "{ command: [no-such-program] }", "{ command: [sh, -c, 'exit 3'] }",
        "{ prompt: true }", "{ env: WIFI_PASSWORD }", "{ env: OTHER }",
      ]
      let rooms = sources.enumerated().map { index, source in
        "  - { room: R\(index), minor: \(index), address: 'C4:7C:8D:00:01:0\(index)',"
          + " wifi: { ssid: S\(index), password: \(source) } }\n"
      }
      try premises.site.write("building.yaml", try premises.manifest() + rooms.joined())
      try await premises.expectMissing(
        try await run(premises),
        [
          "6 passwords are missing; no device was written",
          "building.yaml:4:45: Harbour Guests, S4: the environment variable WIFI_PASSWORD is not set",
          "Set it: `read -rs WIFI_PASSWORD; export WIFI_PASSWORD`.", "variable OTHER is not set",
          "S0: there is no file nowhere.txt", "S1: there is no program no-such-program",
          "S2: sh ended with exit status 3", "S3: there is no terminal for the prompt",
        ])
      let only = try await run(premises, Self.apply + ["--only", "R5"])
      try await premises.expectMissing(
        only, ["a password is missing; no device was written", "variable OTHER"])
      #expect(!only.errors.contains("WIFI_PASSWORD"), "no selected room needs it: \(only)")
      try await run(
        premises, Self.apply + ["--skip", "R0", "R1", "R2", "R3", "R5"], Self.variable
      ).expect(100, "unselected rooms need no password")
    }
  }

  @Test(
    "an invalid password is reported without its text",
    arguments: [
      ("env: WIFI_PASSWORD", "", "the environment variable WIFI_PASSWORD is empty"),
      ("env: WIFI_PASSWORD", "horse72", "the environment variable WIFI_PASSWORD has 7 bytes"),
      (
        "env: WIFI_PASSWORD", "horse72\t",
        "the environment variable WIFI_PASSWORD contains a control character"
      ),
      ("env: WIFI_PASSWORD", "horse72horse72\n", "variable WIFI_PASSWORD has more than one line"),
      ("file: wifi.txt", "", "the file wifi.txt is empty"),
      ("file: wifi.txt", "horse72horse72\n\n", "the file wifi.txt has more than one line"),
      (
        "file: wifi.txt", String(repeating: "horse72", count: 600),
        "the file wifi.txt has more than 4096 bytes"
      ),
      ("file: .", "", ". is neither a file nor a pipe"),
      ("file: /dev/zero", "", "/dev/zero is neither a file nor a pipe"),
      ("command: [cat, wifi.txt]", "horse72", "the output of cat has 7 bytes"),
      (
        "command: [cat, wifi.txt]", String(repeating: "horse72", count: 600),
        "the output of cat has more than 4096"
      ),
      ("command: [yes, horse72]", "", "the output of yes has more than 4096 bytes"),
      ("command: [printf, '\\377horse72']", "", "the output of printf is not text"),
      ("command: [sh, -c, 'kill -9 $$']", "", "sh was ended by signal 9"),
      ("command: [/etc/passwd]", "", "/etc/passwd cannot be started"),
    ])
  func wrong(source: String, content: String, words: String) async throws {
    try await withPassword("{ \(source) }") { premises in
      try premises.site.write("wifi.txt", content)
      let outcome = try await run(premises, Self.apply, ["WIFI_PASSWORD": content])
      try await premises.expectMissing(outcome, ["a password is missing", words])
      if !source.contains("horse72") { #expect(!"\(outcome)".contains("horse72")) }
    }
  }

  // MARK: At the terminal

  @Test("a password prompt at the terminal does not echo and appears once")
  func prompt() async throws {
    try await withPassword("{ prompt: true }", count: 2) { premises in
      let run = try premises.site.startAtTerminal(Self.apply, bus: premises.building.bus)
      try await run.prints("Password of Harbour Guests: ", thenType: Site.password + "\n")
      let outcome = try await run.ended().expect(0)
      #expect(!outcome.output.contains(Site.password), "\(outcome)")
      #expect(outcome.output.components(separatedBy: "Password of").count == 2)
      #expect(await premises.building.flash(2)?.password == Site.password)
    }
  }

  @Test("each network has its own prompt, and a program that two networks share runs once")
  func severalPlaces() async throws {
    try await withPassword("{ prompt: true }", count: 4) { premises in
      let command = "{ command: [sh, -c, 'echo ran >>count.txt; echo 87654321'] }"
      var manifest = try premises.manifest()
      for (number, source) in [(2, "{ prompt: true }"), (3, command), (4, command)] {
        manifest = manifest.replacing(
          "room: Room 10\(number),",
          with: "room: Room 10\(number), wifi: { ssid: Net \(number), password: \(source) },")
      }
      try premises.site.write("building.yaml", manifest)
      let run = try premises.site.startAtTerminal(Self.apply, bus: premises.building.bus)
      try await run.prints("Password of Harbour Guests: ", thenType: Site.password + "\n")
      try await run.prints("Password of Net 2: ", thenType: "12345678\n")
      try await run.ended().expect(0)
      var passwords: [String?] = []
      for number in 1...4 { passwords.append(await premises.building.flash(number)?.password) }
      #expect(passwords == [Site.password, "12345678", "87654321", "87654321"])
      let count = premises.site.directory.appending(path: "count.txt")
      #expect(try String(contentsOf: count, encoding: .utf8) == "ran\n")
    }
  }

  @Test("Ctrl-C at a password prompt restores the terminal")
  func promptInterrupted() async throws {
    try await withPassword("{ prompt: true }") { premises in
      let run = try premises.site.startAtTerminal(
        Self.apply, bus: premises.building.bus, andThen: "stty -a")
      try await run.prints("Password of Harbour Guests: ", thenType: "\u{3}")
      let outcome = try await run.ended().expect(output: " echo ", notOutput: "-echo ")
      #expect(!outcome.output.contains("Scanning") && premises.site.runs.isEmpty, "\(outcome)")
      #expect(await premises.building.isUntouched([1]))
    }
  }

  @Test("no password prompt appears while another password is missing")
  func otherMissing() async throws {
    try await withPassword("{ prompt: true }") { premises in
      let manifest = try premises.manifest()
      try premises.site.write(
        "building.yaml",
        manifest
          + "  - { room: S, minor: 7, address: 'C4:7C:8D:00:01:01', wifi: { ssid: S, password: { env: X } } }\n"
      )
      try await premises.site.startAtTerminal(Self.apply, bus: premises.building.bus).ended().expect(
        65, output: "a password is missing", notOutput: "Password of")
    }
  }

  @Test("a password program may prompt at the terminal itself")
  func commandAtTerminal() async throws {
    try await withPassword(
      "{ command: [sh, -c, 'printf \"PIN? \" >/dev/tty; read pin; echo \"$pin-knows\"'] }"
    ) {
      premises in
      let run = try premises.site.startAtTerminal(Self.apply, bus: premises.building.bus)
      try await run.prints("PIN? ", thenType: "only-the-sensor\n")
      try await run.ended().expect(0)
      #expect(await premises.building.flash(1)?.password == Site.password)
    }
  }

  @Test(
    "a password on the error output of a program is not shown at the terminal, in however many pieces it comes"
  )
  func commandWithErrors() async throws {
    let script = """
      sleep 1.2; printf "touch the key, only-the-" >&2; sleep 0.5; echo sensor-knows >&2; sleep 0.5; \
      printf only-the-; sleep 0.3; echo sensor-knows
      """
    try await withPassword("{ command: [sh, -c, '\(script)'] }") { premises in
      try await premises.site.startAtTerminal(Self.apply, bus: premises.building.bus).ended().expect(
        0, output: "sh has a message, which is shown when it has ended", "touch the key, •••",
        notOutput: "only-", "sensor-knows")
      #expect(await premises.building.flash(1)?.password == Site.password)
    }
  }

  // MARK: Commands that need no password

  @Test("commands that write to no sensor need no password and run no program")
  func others() async throws {
    try await withPassword("{ command: [touch, was-run] }") { premises in
      let reason = ["--reason", "x", "--by", "QA"]
      let commands = [
        ["validate", "building.yaml"], ["status", "building.yaml"],
        ["verify", "building.yaml", "--for", "1"],
        ["room", "accept", "building.yaml", "Room 101"] + reason,
        ["room", "history", "building.yaml", "Room 101"],
        ["report", Site.building, "--bundle", "b.tar"],
      ]
      for command in commands {
        let outcome = try await run(premises, command)
        #expect([0, 100].contains(outcome.status), "\(command): \(outcome)")
      }
      #expect(!premises.site.has("was-run"))
    }
  }

  @Test("a rehearsal uses available passwords, replaces the others and says so once")
  func rehearsal() async throws {
    try await withPassword("{ command: [touch, was-run] }", count: 4) { premises in
      var manifest = try premises.manifest()
      let sources = [
        ("Room 102", "{ env: WIFI_PASSWORD }"), ("Room 103", "{ file: nowhere.txt }"),
        ("Room 104", "{ prompt: true }"),
      ]
      for (name, source) in sources {
        manifest = manifest.replacing(
          "room: \(name),", with: "room: \(name), wifi: { ssid: S, password: \(source) },")
      }
      try premises.site.write("building.yaml", manifest)
      let outcome = try await run(premises, Self.apply + ["--simulate"], Self.variable).expect(0)
      #expect(
        outcome.errors.components(separatedBy: "\n").filter { $0.hasPrefix("Rehearsal: made-up") } == [
          "Rehearsal: made-up passwords replace the output of touch, the file nowhere.txt, the answer at the terminal"
        ], "\(outcome)")
      #expect(!premises.site.has("was-run"))
      let short = try await run(premises, Self.apply + ["--simulate"], ["WIFI_PASSWORD": "horse72"])
      #expect(
        short.status == 65 && short.errors.contains("has 7 bytes"), "the password is reported: \(short)")
    }
  }

  @Test("a changed password is detected by `apply` and `plan`; a missing one cannot be compared")
  func changed() async throws {
    try await withPassword("{ env: WIFI_PASSWORD }") { premises in
      #expect(try await run(premises, Self.apply, Self.variable).status == 0)
      try await run(premises, ["status", "building.yaml", "--check"]).expect(0)
      let other = ["WIFI_PASSWORD": Site.newPassword]
      #expect(try await run(premises, Self.apply, Self.variable).status == 0)
      try await run(premises, Self.apply, other).expect(100, output: "action required")
      let rehearsed = try await run(premises, Self.apply + ["--simulate"])
      // Without the password the rehearsal cannot compare it: what was found stands.
      #expect(rehearsed.status == 100 && rehearsed.output.contains("action required"), "\(rehearsed)")
      for building in ["building.yaml", Site.building] {
        let found = try await run(premises, ["status", building, "--check"])
        #expect(
          found.status == 100
            && found.output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
              "its WiFi password changed"),
          "\(found)")
      }

      await premises.pressButton(1)
      // The plan is compared with received advertisements; 30 s of scan time suffice on a busy machine.
      let arguments = ["building.yaml", "--scan-time", "30"]
      let save = ["plan"] + arguments + ["--save", "friday.plan"]
      #expect(try await run(premises, save, Self.variable).status == 0)
      let carryOut = ["apply"] + arguments + ["--plan", "friday.plan"]
      try await run(premises, carryOut, other).expect(65, errors: "has changed since")
      try await run(premises, carryOut, Self.variable).expect(0)
    }
  }

  @Test(
    "only a manifest that contains a password must be unreadable for others",
    arguments: [("{ env: WIFI_PASSWORD }", false), ("''", false), (Site.password, true)])
  func permissions(password: String, isReported: Bool) async throws {
    try await withPassword(password) { premises in
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: premises.site.directory.path + "/building.yaml")
      for command in [["validate", "building.yaml"], ["status", "building.yaml"]] {
        let outcome = try await run(premises, command)
        #expect(outcome.errors.contains("which has passwords") == isReported, "\(outcome)")
      }
    }
  }
}

extension Premises {
  fileprivate func manifest() throws -> String {
    try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
  }

  /// Checks that a command ended because of missing passwords, with these texts, and left no run and no
  /// write.
  fileprivate func expectMissing(_ outcome: Invocation.Outcome, _ words: [String]) async throws {
    #expect(outcome.status == 65, "\(outcome)")
    for word in words { #expect(outcome.errors.contains(word), "“\(word)”\n\(outcome)") }
    #expect(site.runs.isEmpty)
    #expect(await building.isUntouched([1]))
  }
}
