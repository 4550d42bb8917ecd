import Families
import FoundationEssentials
import Manifest
import Model

/// The questions of `roboprov init` at a terminal. Without a terminal every question returns nil, as Enter
/// does.
struct InitQuestions {
  let canAsk: Bool

  /// The operator's input; nil for Enter.
  private func ask(_ question: String, _ usual: String? = nil) async -> String? {
    guard canAsk else { return nil }
    Console.ask("\(question)\(usual.map { " [\($0)]" } ?? ""): ")
    let line = await Keyboard.line { $0 }
    let answer = line.trimmed
    return answer.isEmpty ? nil : answer
  }

  func profile() async -> String? {
    await ask(
      "Family of the devices: \(DeviceProfiles.all.map(\.id.rawValue).joined(separator: ", "))",
      DeviceProfiles.all[0].id.rawValue)
  }

  func name(_ usual: String) async -> String? { await ask("Name of the building", usual) }

  func setting(_ key: String, of family: any DeviceFamily) async -> String? {
    let about = family.settings.first { $0.name.rawValue == key }?.documentation ?? ""
    if canAsk { Console.say(about) }
    return await ask(key)
  }

  /// The networks. The first one is the default of all rooms.
  func networks(
    _ make: (_ name: String, _ ssid: String, PasswordChoice) -> ManifestDraft.Network
  ) async -> [ManifestDraft.Network] {
    var networks: [ManifestDraft.Network] = []
    while let ssid = await ask(
      networks.isEmpty
        ? "SSID of the WiFi that sensors join (Enter: none)" : "SSID of another WiFi (Enter: no more)")
    {
      let word = ssid.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.last.map(
        String.init)
      let usual =
        word.flatMap { word in networks.contains { $0.name == word } ? nil : word }
        ?? "wifi\(networks.count + 1)"
      let name = await ask("  Its name in the manifest", usual) ?? usual
      let choice = await ask(
        "  Its password: prompt (asked at each run), env (environment variable), none", "prompt")
      networks.append(make(name, ssid, choice.flatMap(PasswordChoice.init) ?? .prompt))
    }
    return networks
  }

  func rooms() async -> String? {
    await ask("Rooms: a range such as Room {101..110}, or a table such as rooms.csv", "Room {101..110}")
  }

  /// The manifest key for a column; nil to ignore the column.
  func key(of column: TableColumns.Column) async -> String? {
    let answer = await ask(
      "Key for the column “\(column.header)” (- to ignore it)", column.key ?? "-")
    return answer.map { $0 == "-" ? nil : $0 } ?? column.key
  }
}
