import Application
import Bluetooth
import Host
import Reporting
import ArgumentParser
import Engine
import FoundationEssentials
import Glibc
import Manifest
import Model

/// `roboprov init`: writes a new manifest.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a new, valid manifest with comments, from questions, a spreadsheet or a scan.",
    discussion: """
      roboprov init building.yaml
      roboprov init building.yaml --from rooms.xlsx --column minor=Beacon-Nr.
      roboprov init building.yaml --from-scan --name Seeblick

      At a terminal it asks for each value that no option gives. --from reads the rooms from a table (.xlsx, .ods, CSV), \
      finds its header, and recognises the columns by words in seven languages and the addresses by what they are. It shows how, \
      and asks what is not certain; without a terminal it writes nothing then, and prints the command with the options. --from-scan makes a room for each sensor that waits for provisioning, \
      the strongest first. It never overwrites an existing file.
      """)

  @Argument(help: ArgumentHelp("The manifest to write.", valueName: "building.yaml"), completion: .yaml)
  var manifest = "building.yaml"

  @Option(help: ArgumentHelp("The building's name.", valueName: "text"))
  var name: String?

  @Option(help: ArgumentHelp("The family of its devices: \(Self.families).", valueName: "profile"))
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "A setting that all rooms share, such as uuid=…; for a secret its source, such as pop=labels. Repeat the option for each setting.",
      valueName: "key=value"))
  var setting: [String] = []

  @Option(
    help: ArgumentHelp(
      "A WiFi network: a name for the manifest, and its SSID. Repeat the option for each network; the first is the default.",
      valueName: "name=ssid"))
  var network: [String] = []

  @Option(
    help: "Where WiFi passwords come from: asked at each run, environment variables, or none (open networks)."
  )
  var password = PasswordChoice.prompt

  @Option(
    help: ArgumentHelp(
      "Rooms: names and ranges, such as 'Lobby, Room 301-332'. Repeat the option for more. Minors are the numbers in the names.",
      valueName: "names"))
  var rooms: [String] = []

  @Option(
    help: ArgumentHelp("Read the rooms from this table: .xlsx, .ods, or CSV.", valueName: "file"),
    completion: .file(extensions: ["xlsx", "ods", "csv", "tsv", "txt"]))
  var from: String?

  @OptionGroup var table: TableOptions

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "With --from, for a table without minors: `names` takes the number in each name, `from 1` counts up.",
      valueName: "names|from"))
  var minors: [String] = []

  @Option(
    help: ArgumentHelp(
      "The number of rooms, which decides whether `Room 1-40` is a range; another number writes nothing.",
      valueName: "rooms"))
  var count: Int?

  @Flag(help: "With --from: 1,101 and 1.101 are the number 1101.")
  var thousands = false

  @Flag(help: "Scan for --scan-time seconds, and make a room for each device that waits for provisioning.")
  var fromScan = false

  @OptionGroup var radio: RadioOptions
  @OptionGroup var simulation: SimulationOptions

  @Option(name: .output, help: "Format of stdout: text for people, or json with the findings of `validate`.")
  var output = OutputFormat.text

  private static var families: String { BuiltIn.families.all.map(\.id.rawValue).joined(separator: ", ") }

  func validate() throws {
    if [from != nil, fromScan, !rooms.isEmpty].count(where: { $0 }) > 1 {
      throw ValidationError(
        "--from, --from-scan and --rooms exclude each other: each gives the rooms")
    }
    if password == .labels {
      throw ValidationError("--password: no label has the password of a WiFi network")
    }
    let onlyOfTables = table.given + (minors.isEmpty ? [] : ["--minors"]) + (thousands ? ["--thousands"] : [])
    if from == nil, let option = onlyOfTables.first { throw ValidationError("\(option) needs --from") }
    if !minors.isEmpty, TableImport.Numbers(minors) == nil {
      throw ValidationError("--minors takes `names`, or `from` and a number")
    }
    if simulation.simulate, !fromScan { throw ValidationError("--simulate needs --from-scan") }
  }

  func run() async throws {
    try refuseToOverwrite()
    let questions = InitQuestions(canAsk: Screen.canAnswer)
    let draft = try await draft(questions)
    let text = draft.text
    let reading = ManifestReader.read(
      Array(text.utf8), file: manifest, families: BuiltIn.families, files: .relative(to: manifest))
    Messages.show(reading)
    for line in ManifestFindings.tables(reading) { Console.say(line) }
    guard let building = reading.building else {
      throw CommandFailure(
        .manifest, "the manifest would not be valid; nothing was written",
        advice: "Correct the findings above, and run the same command again.")
    }
    try OutputFile.create(manifest) { write in try write(Array(text.utf8)) }
    switch output {
    case .text: Console.data("Wrote \(ManifestFindings.summary(building, file: manifest))\n")
    case .json: Console.data(ManifestFindings.json(reading, file: manifest).pretty)
    }
    let missing = building.rooms.filter { $0.device == nil }.count
    let next = "roboprov \(missing > 0 ? "capture" : "plan") \(manifest.shellQuoted)\(simulation.words)"
    Console.say("Check it after each change: roboprov validate \(manifest.shellQuoted)")
    Console.say(
      missing > 0
        ? "\(missing) \(missing == 1 ? "room has" : "rooms have") no \(building.rooms.contains(where: \.awaitsLabel) ? "device" : "address") yet. Next: \(next)"
        : "Next: \(next)")
  }

  private func refuseToOverwrite() throws {
    var status = stat()
    guard lstat(manifest, &status) != 0 else {
      throw CommandFailure(
        .usage, "\(manifest) exists and was not changed",
        advice: "Name another file: `roboprov init other.yaml`.")
    }
  }

  private func family(_ name: String?) throws -> DeviceFamily {
    guard let name else { return BuiltIn.families.all[0] }
    guard let family = BuiltIn.families[FamilyID(rawValue: name)] else {
      throw CommandFailure(
        .usage, "--profile: there is no family \(name.visible)", advice: "The families: \(Self.families).")
    }
    return family
  }

  // MARK: The manifest

  private func draft(_ questions: InitQuestions) async throws -> ManifestDraft {
    guard name != nil || questions.canAsk else {
      throw CommandFailure(
        .usage, "the building needs a name, and there is no terminal to ask for it",
        advice: "Give it: `roboprov init \(manifest) --name 'Harbour House'`.")
    }
    let fallback = URL(fileURLWithPath: manifest).deletingPathExtension().lastPathComponent
    // Families and rooms, so that the answers before those about them can be checked.
    var draft = ManifestDraft(
      name: fallback, profile: BuiltIn.families.all[0].id, match: .later,
      rooms: .entries(Self.entries(["Room 1"], counted: BuiltIn.families.all[0].countedSetting)))
    draft.name = await name.orElse { await questions.name(fallback, in: draft) } ?? fallback
    let family = try family(await profile.orElse { await questions.profile() })
    let counted = family.countedSetting
    draft.profile = family.id
    for pair in try [ManifestDraft.Pair](setting, of: "--setting") {
      guard let secret = family.secretsToShare.first(where: { $0.name.rawValue == pair.key }) else {
        draft.settings.append(pair)
        continue
      }
      guard let source = PasswordChoice(rawValue: pair.value), source != .labels || secret.isOnLabel else {
        throw CommandFailure(
          .usage, "--setting: `\(pair.key)` takes the source of a secret, not the secret",
          advice: "One of: "
            + PasswordChoice.choices(for: secret).map { "\(pair.key)=\($0)" }.joined(separator: ", "))
      }
      draft.secrets.append(.init(secret.name, source.source(as: secret.name.rawValue)))
    }
    draft.rooms = .entries(Self.entries(["Room 1"], counted: counted))
    for key in family.keysToShare where !draft.settings.contains(where: { $0.key == key }) {
      if let value = await questions.setting(key, of: family, in: draft) {
        draft.settings.append(.init(key, value))
      }
    }
    for secret in family.secretsToShare
    where secret.isRequired && !draft.secrets.contains(where: { $0.setting == secret.name }) {
      let usual = secret.isOnLabel ? PasswordChoice.labels : .prompt
      let source = await questions.source(of: secret, usual) ?? usual
      draft.secrets.append(.init(secret.name, source.source(as: secret.name.rawValue)))
    }
    if family.settings.contains(where: { $0.name == .wifiSSID }) {
      let named = try [ManifestDraft.Pair](network, of: "--network")
      draft.networks = named.map { networkDraft($0.key, $0.value, password) }
      if network.isEmpty { draft.networks = await questions.networks(in: draft, networkDraft) }
    }
    if let from {
      try await take(from, of: family, into: &draft, questions)
    } else if fromScan {
      try await scan(for: family, into: &draft)
    } else {
      var names = rooms
      if names.isEmpty {
        let answer = await questions.rooms { answer in
          if Self.isTable(answer) { return Self.problem(ofTable: answer) }
          let names = ListedRooms(answer).entries
          return draft.problem { $0.rooms = .entries(Self.entries(names, counted: counted)) }
        }
        if let answer, Self.isTable(answer) {
          try await take(answer, of: family, into: &draft, questions)
          return draft
        }
        if answer == nil {
          Console.say("The rooms are an example, Room {101..110}: correct them in the manifest.")
        }
        names = answer.map { [$0] } ?? ["Room 101-110"]
      }
      draft.rooms = .entries(Self.entries(try await confirmed(names, questions), counted: counted))
    }
    return draft
  }

  private static func isTable(_ answer: String) -> Bool {
    ["csv", "tsv", "txt", "xlsx", "ods"].contains { answer.lowercased().hasSuffix("." + $0) }
  }

  /// The entries that lists of rooms mean, if they can mean only those, or their number is confirmed.
  private func confirmed(_ lists: [String], _ questions: InitQuestions) async throws -> [String] {
    let readings = lists.map { ListedRooms($0) }
    let names = readings.flatMap(\.names)
    let isCertain = readings.allSatisfy(\.isCertain)
    let summary = ListedRooms.summary(names).visible
    if count == names.count || count == nil && isCertain { return readings.flatMap(\.entries) }
    if count == lists.count { return lists }
    if count == nil, questions.canAsk, await questions.isRight("\(summary): is this right") {
      return readings.flatMap(\.entries)
    }
    throw CommandFailure(
      .usage,
      isCertain
        ? "--count \(count ?? 0) is not the number of rooms: \(summary)"
        : "“\(lists.joined(separator: ", ").visible)” can be \(summary), or \(lists.count == 1 ? "one room" : "\(lists.count) rooms"); nothing was written",
      advice: "If it is \(names.count) rooms, add --count \(names.count); else --count \(lists.count).")
  }

  /// Why a file is no table of rooms; nil if it is one.
  private static func problem(ofTable file: String) -> String? {
    do {
      _ = try RoomSpreadsheet(file)
      return nil
    } catch {
      guard let failure = error as? CommandFailure else { return "\(error)" }
      return [failure.message, failure.advice].compactMap(\.self).joined(separator: ". ")
    }
  }

  private func networkDraft(_ name: String, _ ssid: String, _ choice: PasswordChoice) -> ManifestDraft.Network
  {
    .init(name: name, ssid: ssid, password: choice.source(as: "WIFI_" + name))
  }

  /// The entries of rooms, by names and ranges with braces. The number of a device is the first number in the name if it fits, otherwise the
  /// position in the list.
  private static func entries(_ names: [String], counted: SettingDescription?) -> [[ManifestDraft.Pair]] {
    names.enumerated().map { index, name in
      guard let counted, case .integer(let bounds) = counted.kind else { return [.init("room", name)] }
      let fitting = name.firstNumber(in: bounds) ?? min(index + 1, bounds.upperBound)
      return [.init("room", name), .init(counted.name.rawValue, String(fitting))]
    }
  }

  // MARK: The sources of rooms

  private func take(
    _ file: String, of family: DeviceFamily, into draft: inout ManifestDraft, _ questions: InitQuestions
  ) async throws {
    var answers = TableImport.Answers()
    answers.columns = try table.columns
    answers.numbers = TableImport.Numbers(minors)
    (answers.count, answers.hasThousands) = (count, thousands)
    let labels = draft.secrets.lazy.compactMap { if case .labels(let path) = $0.source { path } else { nil } }
      .first
    let rooms = try await ImportDialog(file: file, hasLabels: labels != nil, questions: questions)
      .rooms(of: RoomSpreadsheet(file, sheet: table.sheet), family, answers)
    func values(_ key: String) -> [String?] {
      rooms.entries.map { entry in entry.first { $0.key == key }?.value }
    }
    if let labels {
      try rooms.writeLabels(to: InputFile.path(labels, beside: manifest), for: manifest)
    } else if rooms.labelCount > 0 {
      Console.say(
        "The secrets of \(rooms.labelCount) devices in \(file) were left out: the manifest takes them from elsewhere."
      )
    }
    draft.match = rooms.entries.isEmpty || values("address").contains(nil) ? .later : .address
    let networks = await networks(
      named: Set(values("wifi").compactMap(\.self)).sorted(), in: &draft, questions)
    guard networks.isEmpty && rooms.isPlain else {
      draft.rooms = .entries(
        rooms.entries.map { entry in
          entry.map { $0.key == "wifi" ? .init("wifi", networks[$0.value] ?? $0.value) : $0 }
        })
      return
    }
    draft.rooms = .table(
      file: RoomSpreadsheet.path(of: file, from: manifest), columns: rooms.columns.mapped,
      ignored: rooms.columns.ignored)
  }

  /// Adds the networks that a table names, which the manifest must describe.
  /// - Returns: The names of networks that the table calls by their SSID, or spells in another way.
  private func networks(
    named names: [String], in draft: inout ManifestDraft, _ questions: InitQuestions
  ) async -> [String: String] {
    draft.hasUsualNetwork = !draft.networks.isEmpty
    var known: [String: String] = [:]
    for name in names where name != "none" && !draft.networks.contains(where: { $0.name == name }) {
      if let same = draft.networks.first(where: { $0.ssid == name }) {
        known[name] = same.name
        continue
      }
      let twin = draft.networks.first { Self.areAlike($0.name, name) || Self.areAlike($0.ssid, name) }
      if let twin, await questions.isOne(twin.name, and: name) ?? false {
        known[name] = twin.name
        continue
      }
      Console.say(
        "The table names the network “\(name)”. The manifest uses this name as its SSID: check it there."
          + (twin.map { " Or correct the table, if it means “\($0.name)”." } ?? "")
      )
      draft.networks.append(networkDraft(name, name, password))
    }
    return known
  }

  /// Whether two names differ only in case, blanks and punctuation.
  private static func areAlike(_ a: String, _ b: String) -> Bool {
    func letters(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
    return letters(a) == letters(b)
  }

  private func scan(for family: DeviceFamily, into draft: inout ManifestDraft) async throws {
    let received = try await simulation.access.joining(radio.hosts).with { stack in
      try await Interruptions().cancelling {
        let log = AirLog()
        _ = try await stack.scan(radio.choice, for: .seconds(radio.scanTime), into: [log])
        return await log.air.free
      }
    }
    let devices = received.filter { $0.life?.profile == family.id }
      .sorted { ($0.rssi ?? Int.min, $1.address) > ($1.rssi ?? Int.min, $0.address) }
    guard !devices.isEmpty else {
      throw CommandFailure(
        .incomplete, "no \(family.title) that waits for provisioning was received; nothing was written",
        advice: family.words.makeItWait.map { "To put one into provisioning mode: \($0)" })
    }
    if received.count > devices.count {
      Console.say(
        "Devices of other families received: \(received.count - devices.count). Select a family with --profile."
      )
    }
    let counted = family.countedSetting?.name.rawValue
    // A label has the name of its device.
    let isByName = draft.secrets.contains { if case .labels = $0.source { true } else { false } }
    draft.match = isByName ? .later : .address
    draft.rooms = .entries(
      devices.enumerated().map { index, device in
        [.init("room", "Room \(index + 1)")]
          + (counted.map { [.init($0, "\(index + 1)")] } ?? [])
          + [
            isByName
              ? device.name.map { .init("device", $0) } : .init("address", device.address.description)
          ].compactMap(\.self)
      })
  }
}

/// The sources of passwords, for `--password`, and of other secrets.
enum PasswordChoice: String, CaseIterable, ExpressibleByArgument {
  /// At each run, the operator types it.
  case prompt
  /// An environment variable named after the network: `WIFI_GUESTS`.
  case env
  /// Open networks have no password.
  case none
  /// What the label of each device says; not for WiFi passwords.
  case labels

  static let allCases: [Self] = [.prompt, .env, .none]

  /// The choices for a secret that is no WiFi password.
  static func choices(for secret: SettingDescription) -> [String] {
    (secret.isOnLabel ? [.labels] + allCases : allCases).map(\.rawValue)
  }

  /// - Parameter name: What an environment variable is named after.
  func source(as name: String) -> ManifestDraft.Password {
    switch self {
    case .prompt: .prompt
    case .env:
      .environment(String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }))
    case .none: .none
    case .labels: .labels("./labels.json")
    }
  }
}

extension DeviceFamily {
  /// The required settings that all rooms can share.
  fileprivate var keysToShare: [String] {
    settings.filter { $0.isRequired && $0.isShareable && !$0.isSecret }.map(\.name.rawValue)
  }

  /// The secrets that all rooms can share, each a single one.
  fileprivate var secretsToShare: [SettingDescription] {
    access.filter { $0.isSecret && $0.isShareable && $0.reservedNames == nil }
  }
}

extension Optional {
  /// This value, or the result of `other`.
  fileprivate func orElse(_ other: () async -> Wrapped?) async -> Wrapped? {
    if let self { return self }
    return await other()
  }
}

extension [ManifestDraft.Pair] {
  /// The values of an option that takes pairs.
  /// - Throws: `CommandFailure` if one is no pair.
  init(_ texts: [String], of option: String) throws {
    self = try texts.map { text in
      guard let pair = ManifestDraft.Pair(parsing: text) else {
        throw CommandFailure(
          .usage, "\(option): “\(text.visible)” is not a pair KEY=VALUE",
          advice:
            "For example: \(option) \(option == "--network" ? "guests='Harbour Guests'" : "address=Label")"
        )
      }
      return pair
    }
  }
}
