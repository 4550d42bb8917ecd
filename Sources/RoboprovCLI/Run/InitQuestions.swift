import Families
import FoundationEssentials
import Manifest
import Model

/// The questions of `roboprov init` at a terminal. Without a terminal every question returns nil, as Enter
/// does. A question whose answer would make the manifest invalid is asked again.
struct InitQuestions {
  let canAsk: Bool

  /// The operator's input; nil for Enter.
  /// - Parameter problem: Why an input is not accepted; nil if it is.
  private func ask(
    _ question: String, _ usual: String? = nil, problem: (String) -> String? = { _ in nil }
  ) async -> String? {
    guard canAsk else { return nil }
    while true {
      Console.ask("\(question)\(usual.map { " [\($0)]" } ?? ""): ")
      let answer = await Keyboard.line { $0 }.trimmed
      if answer.isEmpty { return nil }
      guard let problem = problem(answer) else { return answer }
      Console.say("  Not accepted: \(problem.visible)")
    }
  }

  func profile() async -> String? {
    let names = DeviceProfiles.all.map(\.id.rawValue)
    return await ask("Family of the devices: \(names.joined(separator: ", "))", names[0]) { answer in
      names.contains(answer) ? nil : "there is no family \(answer)"
    }
  }

  func name(_ usual: String, in draft: ManifestDraft) async -> String? {
    await ask("Name of the building", usual) { answer in draft.problem { $0.name = answer } }
  }

  func setting(_ key: String, of family: any DeviceFamily, in draft: ManifestDraft) async -> String? {
    let about = family.settings.first { $0.name.rawValue == key }?.documentation ?? ""
    if canAsk { Console.say(about) }
    return await ask(key) { answer in draft.problem { $0.settings.append(.init(key, answer)) } }
  }

  /// The networks. The first one is the default of all rooms.
  func networks(
    in draft: ManifestDraft,
    _ make: (_ name: String, _ ssid: String, PasswordChoice) -> ManifestDraft.Network
  ) async -> [ManifestDraft.Network] {
    var networks: [ManifestDraft.Network] = []
    func problem(_ name: String, _ ssid: String) -> String? {
      if networks.contains(where: { $0.name == name }) { return "there is a network \(name) already" }
      return draft.problem { $0.networks = networks + [make(name, ssid, .prompt)] }
    }
    while let ssid = await ask(
      networks.isEmpty
        ? "SSID of the WiFi that sensors join (Enter: none)" : "SSID of another WiFi (Enter: no more)",
      problem: { problem("network", $0) })
    {
      let word = ssid.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.last.map(
        String.init)
      let usual =
        word.flatMap { word in networks.contains { $0.name == word } ? nil : word }
        ?? "wifi\(networks.count + 1)"
      let name = await ask("  Its name in the manifest", usual) { problem($0, ssid) } ?? usual
      let choices = PasswordChoice.allCases.map(\.rawValue).joined(separator: ", ")
      let choice = await ask(
        "  Its password: prompt (asked at each run), env (environment variable), none", "prompt"
      ) { PasswordChoice(rawValue: $0) == nil ? "type one of \(choices)" : nil }
      networks.append(make(name, ssid, choice.flatMap(PasswordChoice.init) ?? .prompt))
    }
    return networks
  }

  /// - Parameter problem: Why an input is not accepted; nil if it is.
  func rooms(problem: (String) -> String?) async -> String? {
    await ask(
      "Rooms: a range such as Room {101..110}, or a table such as rooms.csv", "Room {101..110}",
      problem: problem)
  }

  /// The manifest key for a column; nil to ignore the column.
  func key(of column: TableColumns.Column) async -> String? {
    let answer = await ask(
      "Key for the column “\(column.header)” (- to ignore it)", column.key ?? "-")
    return answer.map { $0 == "-" ? nil : $0 } ?? column.key
  }
}

extension ManifestDraft {
  /// The first error that a change adds to the manifest, with its advice; nil if it adds none.
  func problem(of change: (inout ManifestDraft) -> Void) -> String? {
    var changed = self
    change(&changed)
    let known = Set(errors.map(\.message))
    guard let error = changed.errors.first(where: { !known.contains($0.message) }) else { return nil }
    return [error.message, error.advice].compactMap(\.self).joined(separator: "; ")
  }

  /// The errors of the manifest without the files that it names.
  private var errors: [Diagnostic] {
    ManifestReader.read(Array(text.utf8), file: "building.yaml").diagnostics.filter { $0.severity == .error }
  }
}
