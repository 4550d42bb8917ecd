import FoundationEssentials
import Host
import Manifest
import Glibc
import Model

/// Resolves the passwords that a manifest refers to: once, before the radio is opened, and only those of the
/// selected rooms. Afterwards the environment has none of them.
package struct SecretResolver {
  /// Asks the operator; false only checks whether that is possible.
  package typealias Prompt = (_ question: String, _ isNeeded: Bool) throws(SecretError) -> [UInt8]

  /// Whether only a virtual building gets the passwords. Then no program runs, no question is asked, and a
  /// stand-in replaces a missing password.
  let isRehearsal: Bool

  /// A password that selected rooms need.
  package struct Wanted: Sendable {
    /// Its source, and the first place in the manifest that names it.
    var reference: SecretReference
    /// The networks that use it.
    var networks: [String]
    /// The settings of the rooms that it is for, one for each room.
    var descriptions: [SettingDescription]

    /// What the operator is asked for.
    var title: String {
      let title = descriptions.first { $0.name != .wifiPassword }?.title ?? "password"
      return title.prefix(1).uppercased() + title.dropFirst()
    }
  }

  /// The manifest with the passwords of the selected rooms.
  /// - Throws: `CommandFailure` that lists every missing password with its advice.
  package static func resolve(
    _ source: ManifestSource, for scope: WorkScope, isRehearsal: Bool, asking prompt: Prompt
  ) throws -> ManifestSource {
    let wanted = wanted(by: source.building.rooms.filter { scope.selection.names($0.id) })
    let resolver = SecretResolver(isRehearsal: isRehearsal)
    let results = resolver.results(
      wanted, forgetting: source.passwords.environment, asking: prompt)
    let missing = zip(wanted, results).compactMap { wanted, result -> (Wanted, SecretError)? in
      if case .failure(let problem) = result { (wanted, problem) } else { nil }
    }
    guard missing.isEmpty else { throw SecretMessages.failure(missing) }
    var secrets: [SecretReference: Secret] = [:]
    for (wanted, result) in zip(wanted, results) { secrets[wanted.reference.identity] = try result.get() }
    var resolved = source
    resolved.building = source.building.resolvingSecrets { secrets[$0.identity] }
    OutsideWords.hide(secretsOf: resolved.building)
    let standIns = zip(wanted, results).filter { $1.isStandIn }.map(\.0)
    if !standIns.isEmpty { Messages.say(SecretMessages.standIns(standIns)) }
    return resolved
  }

  /// The passwords that a building needs, each with the reason if it is missing. Only the environment and
  /// files are read: no program runs, and no question is asked.
  static func inspect(_ building: Building) -> [(wanted: Wanted, failure: SecretError?)] {
    let resolver = SecretResolver(isRehearsal: false)
    var labels = LabelFiles()
    return wanted(by: building.rooms).map { wanted in
      guard wanted.reference.source.isAvailable else { return (wanted, nil) }
      do throws(SecretError) {
        _ = try resolver.isAvailable(wanted, &labels)
        return (wanted, nil)
      } catch {
        return (wanted, error)
      }
    }
  }

  /// The passwords that rooms need, without repetitions, in the manifest's order.
  static func wanted(by rooms: [Room]) -> [Wanted] {
    var wanted: [Wanted] = []
    var places: [SecretReference: Int] = [:]
    var seen: [Set<String>] = []
    for room in rooms {
      for description in room.givenSettings {
        let value = room.settings[description.name] ?? room.access[description.name]
        guard case .secret(let secret)? = value, let reference = secret.reference
        else { continue }
        // Nothing names the device, so the room gets none before its label is read (`Room.awaitsLabel`).
        if case .labels(_, nil, _) = reference.source { continue }
        let index = places[reference.identity] ?? wanted.count
        if index == wanted.count {
          places[reference.identity] = index
          wanted.append(Wanted(reference: reference, networks: [], descriptions: []))
          seen.append([])
        }
        wanted[index].descriptions.append(description)
        let network =
          (description.name == .wifiPassword ? room.settings[.wifiSSID]?.shown : nil) ?? room.name
        if seen[index].insert(network).inserted { wanted[index].networks.append(network) }
      }
    }
    return wanted.sorted {
      ($0.reference.file, $0.reference.line, $0.reference.column)
        < ($1.reference.file, $1.reference.line, $1.reference.column)
    }
  }

  /// The results. Programs run after the passwords have left the environment, and the operator is asked only
  /// if nothing else is missing.
  private func results(
    _ wanted: [Wanted], forgetting names: Set<String>, asking prompt: Prompt
  ) -> [Result<Secret, SecretError>] {
    var results: [Int: Result<Secret, SecretError>] = [:]
    func take(_ stage: (SecretSource) -> Bool, _ body: (Wanted) throws(SecretError) -> Secret) {
      for (index, wanted) in wanted.enumerated() where stage(wanted.reference.source) {
        do throws(SecretError) {
          results[index] = .success(try body(wanted))
        } catch {
          results[index] = .failure(error)
        }
      }
    }
    var labels = LabelFiles()
    take(\.isAvailable) { wanted throws(SecretError) in try isAvailable(wanted, &labels) }
    HostEnvironment.forget(names)
    take(\.isCommand) { wanted throws(SecretError) in
      guard !isRehearsal, case .command(let words) = wanted.reference.source else {
        return standIn(for: wanted)
      }
      return try SecretText.checked(try SecretCommand.run(words), isLines: true, wanted.descriptions)
    }
    let isComplete = results.values.allSatisfy { (try? $0.get()) != nil }
    take({ $0 == .prompt }) { wanted throws(SecretError) in
      if isRehearsal { return standIn(for: wanted) }
      return try SecretText.checked(
        try prompt("\(wanted.title) of \(SecretMessages.networks(of: wanted)): ", isComplete),
        isLines: false, wanted.descriptions)
    }
    return wanted.indices.compactMap { results[$0] }
  }

  /// A password from the environment or a file.
  private func isAvailable(_ wanted: Wanted, _ labels: inout LabelFiles) throws(SecretError) -> Secret {
    do throws(SecretError) {
      if case .labels(let path, let device?, let setting) = wanted.reference.source {
        return try labels.read(InputFile.path(path, beside: wanted.reference.file))
          .secret(setting, of: device, wanted.descriptions)
      }
      if case .file(let path) = wanted.reference.source {
        return try SecretText.checked(
          try SecretFile.read(path, besides: wanted.reference.file), isLines: true, wanted.descriptions)
      }
      guard case .environment(let name) = wanted.reference.source,
        let value = HostEnvironment.variable(name)
      else { throw .notSet }
      if value.isEmpty { throw .empty }
      return try SecretText.checked(value, isLines: false, wanted.descriptions)
    } catch {
      if isRehearsal, error.isAbsence { return standIn(for: wanted) }
      throw error
    }
  }

  /// A stand-in: the same in each rehearsal, and, unless its setting takes other values, unlike any text that a device
  /// could send.
  private func standIn(for wanted: Wanted) -> Secret {
    let place = "\(wanted.reference.file):\(wanted.reference.line):\(wanted.reference.column)"
    let digest = HostEnvironment.sha256(Array("stand-in \(place)".utf8))
    let texts = [
      String(digest.prefix(20)), digest.utf8.prefix(6).map { String($0 % 10) }.joined(),
      String(Int(digest.prefix(6), radix: 16, in: 0...0xFFFFFF) ?? 0),
    ]
    func isGood(_ text: String) -> Bool {
      wanted.descriptions.allSatisfy { $0.violation(of: .secret(Secret(text))) == nil }
    }
    let least = wanted.descriptions.compactMap { description -> String? in
      if case .secret(let secret) = description.kind.least { secret.reveal() } else { nil }
    }
    return .standIn(texts.first(where: isGood) ?? least.first(where: isGood) ?? texts[0])
  }
}

extension Result<Secret, SecretError> {
  fileprivate var isStandIn: Bool { (try? get())?.isStandIn ?? false }
}

extension SecretSource {
  /// Whether it can be read without a program or a person.
  fileprivate var isAvailable: Bool {
    switch self {
    case .environment, .file, .labels: true
    case .command, .prompt: false
    }
  }

  fileprivate var isCommand: Bool { if case .command = self { true } else { false } }
}
