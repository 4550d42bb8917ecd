import Application
import FoundationEssentials
import Host
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
      let name =
        (words.suffix(1).map(String.init) + numbered).first { problem(ofName: $0, ssid) == nil }
        ?? numbered[0]
      Console.say("  The manifest calls it \(name).")
      draft.networks.append(make(name, ssid, passwordSource(make(name, ssid, .env))))
    }
    return draft.networks
  }

  /// The source of a network's password. The input is not shown: it may be the password itself.
  private func passwordSource(_ inEnvironment: ManifestDraft.Network) -> PasswordChoice {
    var variable = ""
    if case .environment(let name) = inEnvironment.password { variable = name }
    Console.say(
      "  Where does its password come from? The manifest contains only the source, never the password:")
    Console.say("    1  prompt: roboprov asks for it at the start of each run")
    Console.say("    2  env: the environment variable \(variable), for runs without a person")
    Console.say("    3  none: the network is open")
    while let bytes = try? SecretPrompt.ask("  1, 2 or 3; the input is not shown [1]: ", true) {
      let answer = String(decoding: bytes, as: UTF8.self).trimmed
      let choices = PasswordChoice.allCases
      let choice = choices.enumerated().first {
        answer == "\($0.offset + 1)" || answer == $0.element.rawValue
      }
      guard let choice = choice?.element ?? (answer.isEmpty ? .prompt : nil) else {
        Console.say("  Not accepted: type 1, 2 or 3, not the password. The input was not kept.")
        continue
      }
      Console.say("  Its password: \(choice.rawValue)")
      return choice
    }
    return .prompt
  }

  /// Whether two names of a table or the manifest mean one network; nil without a terminal.
  func isOne(_ name: String, and other: String) async -> Bool? {
    guard canAsk else { return nil }
    return await isRight("Are “\(name)” and “\(other)” the same network")
  }

  /// - Parameter problem: Why an input is not accepted; nil if it is.
  func rooms(problem: (String) -> String?) async -> String? {
    await ask(
      "Rooms: a range such as Room 101-110, or a table such as rooms.xlsx", "Room 101-110",
      problem: problem)
  }

  /// The header of the column that gives a key.
  func header(for question: TableColumns.Question, in columns: TableColumns) async -> String {
    let headers = columns.columns.map(\.header)
    let answer = await ask("The column of the `\(question.key)`", question.candidates.first) { answer in
      headers.contains(answer) ? nil : "the columns are \(headers.joined(separator: ", "))"
    }
    return answer ?? question.candidates.first ?? headers[0]
  }

  func numbers(_ key: String, _ proposal: TableImport.Numbers) async -> TableImport.Numbers {
    let usual = if case .from(let first) = proposal { "from \(first)" } else { "names" }
    let answer = await ask(
      "The `\(key)` of each: names (the number in its name), or counted up: from 1", usual
    ) { answer in
      TableImport.Numbers(answer.split(separator: " ").map(String.init)) == nil
        ? "type names, or from and a number" : nil
    }
    return answer.flatMap { TableImport.Numbers($0.split(separator: " ").map(String.init)) } ?? proposal
  }

  /// Whether a person confirms it; Enter does.
  func isRight(_ question: String) async -> Bool {
    let answers = ["yes", "y", "no", "n"]
    let answer = await ask("\(question): yes or no", "yes") {
      answers.contains($0.lowercased()) ? nil : "type yes or no"
    }
    return answer?.lowercased().hasPrefix("y") ?? true
  }

  /// Another key for a column; nil if all are right.
  func correction(of columns: TableColumns) async -> ManifestDraft.Pair? {
    let answer = await ask(
      "Enter if this is right; else a correction such as minor=HEADER, or =HEADER to ignore it"
    ) { answer in
      guard let pair = ManifestDraft.Pair(parsing: answer),
        pair.key.isEmpty || columns.keys.contains(pair.key),
        columns.columns.contains(where: { $0.header == pair.value })
      else {
        return "the keys are \(columns.keys.joined(separator: ", ")); the columns have the headers above"
      }
      return nil
    }
    return answer.flatMap { ManifestDraft.Pair(parsing: $0) }
  }
}

extension TableImport.Numbers {
  /// Reads `names`, or `from` and a number.
  init?(_ words: [String]) {
    switch words.count {
    case 1 where words[0] == "names": self = .names
    case 2 where words[0] == "from":
      guard let first = Int(words[1], in: 0...999_999_999) else { return nil }
      self = .from(first)
    default: return nil
    }
  }
}

extension ManifestDraft.Pair {
  /// Reads `KEY=VALUE`; nil without a value.
  init?(parsing text: String) {
    guard let sign = text.firstIndex(of: "="), text.index(after: sign) < text.endIndex else { return nil }
    self.init(String(text[..<sign]), String(text[text.index(after: sign)...]))
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
