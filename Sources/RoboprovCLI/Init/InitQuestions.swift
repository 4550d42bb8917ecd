import Application
import FoundationEssentials
import Manifest
import Model

/// The questions of `roboprov init` at a terminal. Without a terminal every question returns nil, as Enter
/// does. A question is asked again if its answer alone would make the manifest invalid.
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
      Console.say("  Not accepted: \(problem)")
    }
  }

  func profile() async -> String? {
    let names = BuiltIn.families.all.map(\.id.rawValue)
    return await ask("Family of the devices: \(names.joined(separator: ", "))", names[0]) { answer in
      names.contains(answer) ? nil : "there is no family \(answer)"
    }
  }

  func name(_ usual: String, in draft: ManifestDraft) async -> String? {
    await ask("Name of the building", usual) { answer in draft.problem { $0.name = answer } }
  }

  func setting(_ key: String, of family: DeviceFamily, in draft: ManifestDraft) async -> String? {
    let about = family.settings.first { $0.name.rawValue == key }?.documentation ?? ""
    if canAsk { Console.say(about) }
    return await ask(key) { answer in draft.problem { $0.settings.append(.init(key, answer)) } }
  }

  func source(of secret: SettingDescription, _ usual: PasswordChoice) async -> PasswordChoice? {
    let words = [
      "labels": "labels (`capture` reads each device's)", "prompt": "prompt (asked at each run)",
      "env": "env (environment variable)",
    ]
    let choices = PasswordChoice.choices(for: secret)
    let answer = await ask(
      "The \(secret.title), `\(secret.name)`: \(choices.map { words[$0] ?? $0 }.joined(separator: ", "))",
      usual.rawValue
    ) { choices.contains($0) ? nil : "type one of \(choices.joined(separator: ", "))" }
    return answer.flatMap(PasswordChoice.init)
  }

  /// The networks. The first one is the default of all rooms.
  func networks(
    in draft: ManifestDraft,
    _ make: (_ name: String, _ ssid: String, PasswordChoice) -> ManifestDraft.Network
  ) async -> [ManifestDraft.Network] {
    var draft = draft
    draft.networks = []
    func problem(ofName name: String, _ ssid: String) -> String? {
      if draft.networks.contains(where: { $0.name == name }) { return "there is already a network `\(name)`" }
      return draft.problem { $0.networks.append(make(name, ssid, .prompt)) }
    }
    while let ssid = await ask(
      draft.networks.isEmpty
        ? "SSID of the WiFi that sensors join (Enter: none)" : "SSID of another WiFi (Enter: no more)",
      problem: { ssid in draft.problem { $0.networks = [make("wifi", ssid, .prompt)] } })
    {
      let words = ssid.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
      let numbered = (1...draft.networks.count + 1).map { "wifi\($0)" }
      let usual =
        (words.suffix(1).map(String.init) + numbered).first { problem(ofName: $0, ssid) == nil }
        ?? numbered[0]
      let name = await ask("  Its name in the manifest", usual) { problem(ofName: $0, ssid) } ?? usual
      let choices = PasswordChoice.allCases.map(\.rawValue).joined(separator: ", ")
      let choice = await ask(
        "  Its password: prompt (asked at each run), env (environment variable), none", "prompt"
      ) { PasswordChoice(rawValue: $0) == nil ? "type one of \(choices)" : nil }
      draft.networks.append(make(name, ssid, choice.flatMap(PasswordChoice.init) ?? .prompt))
    }
    return draft.networks
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
    return [error.message, error.advice].compactMap(\.self).joined(separator: ". ")
  }

  /// The errors of the manifest without the files that it names.
  private var errors: [Diagnostic] {
    ManifestReader.read(Array(text.utf8), file: "building.yaml", families: BuiltIn.families).diagnostics
      .filter { $0.severity == .error }
  }
}
