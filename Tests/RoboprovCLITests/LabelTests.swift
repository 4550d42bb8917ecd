import Bluetooth
import Foundation
import SampleFacts
import RecordedText
import Testing
import VirtualBuilding

/// Labels of ESP-IDF devices: scanned in `capture` and `walk`, used by `apply`.
@Suite("labels with secrets are read, kept and used", .timeLimit(.minutes(60)))
struct LabelTests {
  /// The devices, each with the name, the proof of possession and the user name on its label.
  private static let products = [
    (name: "PROV_00A001", pop: "first-possession", username: ""),
    (name: "PROV_00A002", pop: "second:possession", username: "plant installer"),
    (name: "PROV_00A003", pop: "", username: ""),
  ]
  private static let secrets = ["first-possession", "second:possession", "plant installer"]

  private static func label(_ number: Int) -> String {
    let product = products[number - 1]
    let username = product.username.isEmpty ? "" : #","username":"\#(product.username)""#
    let pop = product.pop.isEmpty ? "" : #","pop":"\#(product.pop)""#
    return #"{"ver":"v1","name":"\#(product.name)"\#(pop)\#(username),"transport":"ble"}"#
  }

  private static func link(_ number: Int) -> String {
    let coded = label(number).addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return "https://example.com/qrcode.html?data=\(coded)"
  }

  private static let manifest = """
    building: Pier
    id: harbour
    match: later
    wifi:
      plant: { ssid: Plant, password: \(Site.password) }
    defaults:
      profile: esp-idf
      wifi: plant
      pop: { labels: ./labels.json }
      username: { labels: ./labels.json }
    rooms:
      - { room: Pump 1 }
      - room: Pump 2
        retries: 1
      - { room: Pump 3 }

    """

  private static let captured = manifest.replacing(
    "room: Pump 1 ", with: "room: Pump 1, device: PROV_00A001 "
  )
  .replacing("  - room: Pump 2\n", with: "  - room: Pump 2\n    device: PROV_00A002\n")
  .replacing("room: Pump 3 ", with: "room: Pump 3, device: PROV_00A003 ")

  private static func devices() -> [SensorScenario] {
    products.enumerated().map { index, product in
      var device = SensorScenario(address: ServedBuilding.address(index + 1), family: .espIDF)
      // Otherwise a program that is slow for a second, on a machine with other work, would lose the link.
      device.faults = [ScheduledFault(.own(.staysAfterJoining))]
      device.label = ["name": product.name, "pop": product.pop, "username": product.username]
      return device
    }
  }

  private static func text(_ site: Site, _ name: String = "building.yaml") throws -> String {
    try String(contentsOf: site.directory.appending(path: name), encoding: .utf8)
  }

  /// Runs a command with the lines of a file as its standard input.
  private static let through = ["sh", "-c", "exec \"$@\" <lines.txt", "sh"]

  private static func capture(
    _ site: Site, _ lines: [String], _ more: [String] = [], environment: [String: String] = [:]
  ) async throws -> Invocation.Outcome {
    try site.write("lines.txt", lines.map { $0 + "\n" }.joined())
    return try await site.run(
      ["capture", "building.yaml", "--offline"] + more, environment: environment, through: through)
  }

  /// Checks that no output and no file but the file of labels has a secret of a label.
  private static func expectSecret(_ site: Site, _ outcomes: [Invocation.Outcome] = []) throws {
    for outcome in outcomes {
      for secret in secrets { #expect(!"\(outcome)".contains(secret), "\(outcome)") }
    }
    let files = try #require(
      FileManager.default.enumerator(at: site.directory, includingPropertiesForKeys: [.isRegularFileKey]))
    var count = 0
    for case let file as URL in files {
      guard !["labels.json", "lines.txt"].contains(file.lastPathComponent),
        let data = try? Data(contentsOf: file)
      else { continue }
      count += 1
      for secret in secrets { #expect(data.range(of: Data(secret.utf8)) == nil, "\(file.path)") }
    }
    #expect(count > 0)
  }

  private static func permissions(_ site: Site) throws -> Int? {
    let path = site.directory.appending(path: "labels.json").path
    return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  // MARK: capture

  @Test(
    "a delivery list gives the secrets, and typed names the devices; a file that others can read is one finding",
    .notRecorded)
  func deliveryList() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest.replacing("match: later\n", with: ""))
      try site.write(
        "delivery.csv",
        """
        Delivery 4711;;
        Serial;MAC;PoP;Username
        A-1;C4:7C:8D:00:A0:01;first-possession;
        A-2;C4:7C:8D:00:A0:02;second:possession;plant installer

        """)
      let unlisted = try await Self.capture(site, ["PROV_00A001"])
      #expect(
        unlisted.status == 100 && unlisted.errors.contains("its name alone has no `pop`"), "\(unlisted)")
      #expect(!unlisted.errors.contains("match: later"), "\(unlisted)")

      let listed = try await site.run(["capture", "building.yaml", "--from", "delivery.csv"])
      #expect(listed.status == 0 && listed.output.contains("2 labels in "), "\(listed)")
      #expect(listed.errors.contains("Column “PoP”: pop, not shown"), "\(listed)")
      #expect(try Self.permissions(site) == 0o600)
      let before = try Self.text(site, "labels.json")
      let labels = try #require(JSON(before))
      #expect(labels["PROV_00A001"]["pop"].text == "first-possession")
      #expect(labels["PROV_00A002"]["username"].text == "plant installer")
      #expect(labels["PROV_00A003"].items.isEmpty)

      let captured = try await Self.capture(
        site, ["PROV_00A001", "PROV_00A009", "PROV_00A002", Self.label(3)])
      #expect(captured.errors.contains("PROV_00A009 has no entry in "), "\(captured)")
      #expect(captured.status == 0, "\(captured)")
      #expect(try Self.text(site) == Self.captured.replacing("match: later\n", with: ""))
      let after = try #require(JSON(try Self.text(site, "labels.json")))
      #expect(
        after["PROV_00A002"]["username"].text == "plant installer" && after["PROV_00A003"]["pop"].text == "")
      // A later list without a column takes nothing away.
      try site.write("delivery.csv", "Device,pop\nPROV_00A002,second:possession\n")
      try await site.run(["capture", "building.yaml", "--from", "delivery.csv"]).expect(0)
      let kept = try #require(JSON(try Self.text(site, "labels.json")))
      #expect(
        kept["PROV_00A002"]["username"].text == "plant installer" && kept["PROV_00A001"]["pop"].text != nil)
      try FileManager.default.removeItem(at: site.directory.appending(path: "delivery.csv"))
      try Self.expectSecret(site, [unlisted, listed, captured])

      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: site.directory.appending(path: "labels.json").path)
      let open = try await site.run(["apply", "building.yaml"])
      #expect(open.status == 65, "\(open)")
      #expect(open.errors.components(separatedBy: "other users can read or change").count == 2, "\(open)")
    }
  }

  @Test(
    "a delivery list that cannot be right writes nothing",
    arguments: [
      ("Name,Colour\nPROV_00A001,red\n", "has no column `pop`"),
      ("Colour,pop\nred,abc\n", "--column device=HEADER"),
      (
        "MAC,pop\nC4:7C:8D:00:A0:01,abc\nC4:7C:8D:00:A0:01,abd\n",
        "lines 2 and 3 give PROV_00A001 different secrets"
      ),
      ("MAC,pop\nC4:7C:8D:00:A0:01,\"1,2E+15\"\n", "line 2 has no usable `pop`"),
      ("MAC,pop\nC4:7C:8D:00:A0,abc\nC4:7C:8D:00:A0:02,abc\n", "line 2 has no usable address"),
    ])
  func wrongLists(list: String, words: String) async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      try site.write("delivery.csv", list)
      let listed = try await site.run(["capture", "building.yaml", "--from", "delivery.csv"])
      #expect(listed.status == 65 && listed.errors.contains(words), "\(listed)")
      #expect(!FileManager.default.fileExists(atPath: site.directory.appending(path: "labels.json").path))
    }
  }

  @Test(
    "scanned labels give the manifest names and the file of labels secrets, with which `apply` provisions each device",
    .notRecorded
  )
  func captureAndApply() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      let captured = try await Self.capture(
        site, [Self.label(1), Self.link(2), Self.label(3)], ["--output", "json"])
      #expect(captured.status == 0, "\(captured)")
      #expect(try Self.text(site) == Self.captured)
      #expect(try Self.permissions(site) == 0o600)
      let labels = try #require(JSON(try Self.text(site, "labels.json")))
      #expect(
        labels["PROV_00A001"]["pop"].text == "first-possession"
          && labels["PROV_00A001"]["username"].text == nil)
      #expect(
        labels["PROV_00A002"]["username"].text == "plant installer" && labels["PROV_00A003"]["pop"].text == ""
      )
      let answer = try captured.json
      #expect(answer["captured"].items.map { $0["device"].text } == Self.products.map(\.name))
      let validated = try await site.run(["validate", "building.yaml"]).expect(0)

      try await site.serve(Self.devices()) { building in
        let outcome = try await site.run(["apply", "building.yaml", "--scan-time", "2"], on: building).expect(
          0)
        for number in 1...3 {
          #expect(await building.world.flash(of: ServedBuilding.address(number))?.isSaved == true)
        }
        let rooms = try site.report["rooms"].items
        #expect(
          rooms.map { $0["address"].text } == (1...3).map { "\(ServedBuilding.address($0))" },
          "the record has addresses")
        let bundle = try await site.run(["report", "harbour", "--bundle", "out.tar"], on: building)
        let status = try await site.run(["status", "building.yaml", "--output", "json"], on: building)
        try Self.expectSecret(site, [captured, validated, outcome, bundle, status])
      }
    }
  }

  @Test("at a terminal a scanned label is not echoed, an address is, and a label can be undone")
  func terminal() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      let run = try site.startAtTerminal(["capture", "building.yaml", "--offline"])
      try await run.prints("[1/3] Pump 1", thenType: Self.label(1) + "\n")
      try await run.prints("PROV_00A001 saved")
      try await run.prints("[2/3] Pump 2", thenType: "C47C8D000001")
      try await run.prints("label> C47C8D000001", thenType: "\n")
      try await run.prints("needs the secrets on its device's label", thenType: Self.label(1) + "\n")
      try await run.prints(
        "PROV_00A001 is already the device of Pump 1", thenType: String(Self.label(2).dropLast(3)) + "\n")
      try await run.prints("only a part of the code was read", thenType: Self.link(2) + "\r\n")
      try await run.prints("PROV_00A002 saved", thenType: "u\n")
      try await run.prints("undone: Pump 2", thenType: "\u{4}")
      let outcome = try await run.ended().expect(100, output: "Without label: Pump 2, Pump 3")
      #expect(
        try Self.text(site)
          == Self.manifest.replacing("room: Pump 1 ", with: "room: Pump 1, device: PROV_00A001 "))
      #expect(
        try Self.text(site, "labels.json").contains("second:possession"), "undo does not forget a secret")
      try Self.expectSecret(site, [outcome])
    }
  }

  @Test(
    "a `capture` that is killed anywhere has lost no label that it saved, and goes on when it is repeated")
  func killed() async throws {
    try await Site.use { site in
      var (kills, between) = (0, 0)
      for call in 1...100 {
        try? FileManager.default.removeItem(at: site.directory.appending(path: "labels.json"))
        try site.write("building.yaml", Self.manifest)
        let labels = [Self.label(1), Self.label(2), Self.label(3)]
        let outcome = try await Self.capture(site, labels, environment: KillSwitch.at(call: call))
        let manifest = try Self.text(site)
        let file = JSON((try? Self.text(site, "labels.json")) ?? "{}")
        for (number, product) in Self.products.enumerated() {
          let isKept = file?[product.name]["pop"].text == product.pop
          let isNamed = manifest.contains(product.name)
          #expect(isKept || !isNamed, "a device is named whose secret is lost: call \(call)")
          if isKept, !isNamed { between += 1 }
          let isSaid = outcome.errors.contains("\(product.name) saved")
          #expect(isNamed || !isSaid, "call \(call), label \(number + 1)")
        }
        if file != nil, FileManager.default.fileExists(atPath: site.directory.path + "/labels.json") {
          #expect(try Self.permissions(site) == 0o600)
        }
        if outcome.status == 0 { break }
        kills += 1
        let rest = (1...3).filter { !manifest.contains(Self.products[$0 - 1].name) }.map(Self.label)
        let again = try await Self.capture(site, rest)
        #expect(again.status == 0, "\(again)")
        #expect(try Self.text(site) == Self.captured)
      }
      #expect(kills >= 6 && between >= 3)
    }
  }

  @Test("a room whose label is in no file is offered again, and a file that others can read is refused")
  func missingLabel() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.captured)
      try site.write("labels.json", #"{ "PROV_00A001": { "pop": "first-possession" }, "PROV_00A003": {} }"#)
      let planned = try await site.run(["plan", "building.yaml", "--simulate"]).expect(
        65, errors: "Pump 2: there is no pop of PROV_00A002 in ./labels.json",
        "there is no username of PROV_00A002", "Pump 3: there is no pop of PROV_00A003",
        "Read the label with `roboprov capture`")
      let skipped = try await Self.capture(site, ["s", "s"])
      #expect(skipped.status == 100 && skipped.output.contains("Without label: Pump 2, Pump 3"), "\(skipped)")
      #expect(skipped.errors.contains("[1/2] Pump 2 (now PROV_00A002)"), "\(skipped)")
      let read = try await Self.capture(site, [Self.label(2), Self.label(3)])
      #expect(read.status == 0, "\(read)")
      #expect(try Self.text(site) == Self.captured)
      let done = try await Self.capture(site, [])
      #expect(done.status == 0 && done.errors.contains("Every room has its device"), "\(done)")

      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: site.directory.path + "/labels.json")
      for command in [["capture", "building.yaml", "--offline"], ["apply", "building.yaml", "--simulate"]] {
        try await site.run(command).expect(
          65, errors: "other users can read or change ./labels.json", "chmod 600")
      }
      try Self.expectSecret(site, [planned, skipped, read, done])
    }
  }

  @Test("a manifest that does not take the secrets from labels is not changed, and the line to add is shown")
  func noSource() async throws {
    try await Site.use { site in
      let manifest = Self.manifest.replacing("  username: { labels: ./labels.json }\n", with: "")
        .replacing("pop: { labels: ./labels.json }", with: "pop: \"\"")
      try site.write("building.yaml", manifest)
      let outcome = try await Self.capture(site, [Self.label(2), "q"])
      #expect(outcome.status == 100, "\(outcome)")
      #expect(
        outcome.errors.contains(
          "\n    pop: { labels: ./labels.json }\n    username: { labels: ./labels.json }\n"), "\(outcome)")
      #expect(try Self.text(site) == manifest && !site.has("labels.json"))
      // A label without secrets needs no file.
      let open = try await Self.capture(site, [Self.label(3), "q"])
      #expect(open.errors.contains("PROV_00A003 saved") && !site.has("labels.json"), "\(open)")
      try Self.expectSecret(site, [outcome, open])
    }
  }

  // MARK: apply

  @Test("rooms whose label was not read wait for it, and those that have theirs are provisioned")
  func partly() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      let captured = try await Self.capture(site, ["s", Self.label(2), "q"])
      #expect(captured.status == 100, "\(captured)")
      try await site.serve(Self.devices()) { building in
        let outcome = try await site.run(["apply", "building.yaml", "--scan-time", "2"], on: building).expect(
          100)
        let rooms = try site.report["rooms"].items
        #expect(rooms.map { $0["outcome"].text } == ["pending", "provisioned", "pending"], "\(outcome)")
        #expect(rooms[0]["reason_code"].text == "address_missing")
        #expect("\(outcome)".contains("Next: roboprov capture building.yaml"), "\(outcome)")
        for number in [1, 3] {
          #expect(await building.world.attemptCount(of: ServedBuilding.address(number)) == 0)
        }
      }
    }
  }

  @Test("a rehearsal makes labels up for rooms whose label was not read")
  func rehearsal() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      try await site.run(["apply", "building.yaml", "--simulate"]).expect(
        0, errors: "made-up labels for 3 rooms")
      try await site.run(["apply", "building.yaml", "--simulate", "--only", "Pump 1"]).expect(0)
      #expect(!site.has("labels.json"))
    }
  }

  @Test("a rehearsal of some rooms does not need the secrets of the others")
  func otherSecrets() async throws {
    try await Site.use { site in
      try site.write(
        "building.yaml",
        Self.captured.replacing("pop: { labels: ./labels.json }", with: "pop: { env: POP }")
          .replacing("  username: { labels: ./labels.json }\n", with: ""))
      try await site.run(["apply", "building.yaml", "--simulate", "--only", "Pump 1"]).expect(0)
    }
  }

  // MARK: walk

  @Test("`walk` reads a label, provisions its device at once, and continues")
  func walk() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      try await ServedBuilding.serve(Self.devices()) { building in
        let run = try site.startAtTerminal(["walk", "building.yaml"], bus: building.bus)
        try await run.prints("[1/3] Pump 1", thenType: "\r")
        try await run.prints("This room needs the secrets", thenType: "C47C8D000001\r")
        try run.type(Self.label(1) + "\r")
        try await run.prints("✓ Pump 1 done", thenType: Self.label(1) + "\r")
        try await run.prints("PROV_00A001 is already the device of Pump 1")
        // The secret of another label: the device refuses it.
        try run.type(Self.label(2).replacing("second:possession", with: "first-possession") + "\r")
        try await run.prints("✗ Pump 2: ", thenType: Self.label(2) + "\r")
        try await run.prints("✓ Pump 2 done", thenType: Self.link(3) + "\r")
        let outcome = try await run.ended().expect(0)
        #expect(try Self.text(site) == Self.captured)
        #expect(try Self.permissions(site) == 0o600)
        let status = try await site.run(["status", "building.yaml"]).expect(output: "All 3 rooms done")
        try Self.expectSecret(site, [outcome, status])
      }
    }
  }

  @Test("`walk` undoes a label's device, and the room takes another label")
  func walkUndo() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      try await ServedBuilding.serve([Self.devices()[0]]) { building in
        let lines = [Self.label(2), "u", Self.label(1), "q"]
        try site.write("lines.txt", lines.map { $0 + "\n" }.joined())
        let outcome = try await site.run(
          ["walk", "building.yaml", "--only", "Pump 1"], bus: building.bus,
          through: Self.through
        ).expect(0, errors: "undone: Pump 1", "✓ Pump 1 done")
        #expect(
          try Self.text(site)
            == Self.manifest.replacing("room: Pump 1 ", with: "room: Pump 1, device: PROV_00A001 "))
        try Self.expectSecret(site, [outcome])
      }
    }
  }

  @Test("a rehearsed `walk` makes labels up, and writes none")
  func walkRehearsal() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      try site.write("lines.txt", String(repeating: ".\n", count: 3))
      try await site.run(["walk", "building.yaml", "--simulate"], through: Self.through).expect(0)
      #expect(try Self.text(site) == Self.manifest && !site.has("labels.json"))
    }
  }

  @Test("a rehearsed `capture` writes no label, and the next command is a rehearsal, too")
  func captureRehearsal() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      try site.write("lines.txt", (1...3).map { Self.label($0) + "\n" }.joined())
      let outcome = try await site.run(["capture", "building.yaml", "--simulate"], through: Self.through)
        .expect(0)
      #expect(outcome.output.hasSuffix("Next: roboprov plan building.yaml --simulate\n"), "\(outcome)")
      #expect(try Self.text(site) == Self.manifest && !site.has("labels.json"))
    }
  }

  // MARK: init

  @Test("`init` writes a building whose labels `capture` reads")
  func initialise() async throws {
    try await Site.use { site in
      let command = [
        "init", "building.yaml", "--name", "Pier", "--profile", "esp-idf", "--rooms", "Pump {1..3}",
        "--network", "plant=Plant",
        "--password", "env",
      ]
      try await site.run(command + ["--setting", "username=labels"]).expect(0)
      let text = try Self.text(site)
      #expect(
        text.contains("  username: { labels: \"./labels.json\" }\n  pop: { labels: \"./labels.json\" }\n"),
        "\(text)")
      let captured = try await Self.capture(site, [Self.label(1), Self.label(2), Self.label(3)])
      #expect(captured.status == 0, "\(captured)")
      try await site.run(["apply", "building.yaml", "--simulate"]).expect(0)
      for (setting, source) in [("pop", "first-possession"), ("pop", "file")] {
        let refused = try await site.run(
          [
            "init", "other.yaml", "--name", "Pier", "--profile", "esp-idf", "--setting",
            "\(setting)=\(source)",
          ]).expect(64, errors: "pop=labels, pop=prompt, pop=env, pop=none")
        try Self.expectSecret(site, [refused])
      }
      try site.write("lines.txt", "")
      try await site.run(
        [
          "init", "third.yaml", "--name", "Pier", "--profile", "esp-idf", "--setting", "pop=none",
          "--network", "plant=Plant",
        ]).expect(0)
      #expect(try Self.text(site, "third.yaml").contains("  pop: \"\"\n"))
    }
  }
}
