import Families
import Foundation
import Manifest
import Model

/// Takes the passwords that a manifest only refers to from where they are: once, before the radio is opened, and only those
/// that the selected rooms need. They are in no building before, and in no environment after.
struct SecretResolver {
  /// Whether nothing but a virtual building will get them: then nothing is run and nobody is asked, and a password that is not
  /// here has a stand-in.
  let isRehearsal: Bool

  /// A password that some of the rooms need.
  struct Wanted: Sendable {
    /// Where it comes from, and the first place that says so.
    var reference: SecretReference
    /// The networks that it is of.
    var networks: [String]
    /// What it must be.
    var description: SettingDescription
  }

  /// A manifest whose selected rooms have their passwords.
  /// - Throws: `CommandFailure` that lists every password that is not to be had, with what to do.
  static func resolve(
    _ source: ManifestSource, for scope: WorkScope, isRehearsal: Bool
  ) throws -> ManifestSource {
    let wanted = wanted(by: source.building.rooms.filter { scope.selection.names($0.id) })
    let resolver = SecretResolver(isRehearsal: isRehearsal)
    let results = resolver.results(wanted, forgetting: source.passwords.environment)
    let missing = zip(wanted, results).compactMap { wanted, result -> (Wanted, SecretTrouble)? in
      if case .failure(let trouble) = result { (wanted, trouble) } else { nil }
    }
    guard missing.isEmpty else { throw SecretWords.failure(missing) }
    var secrets: [SecretReference: Secret] = [:]
    for (wanted, result) in zip(wanted, results) { secrets[wanted.reference.identity] = try result.get() }
    var resolved = source
    resolved.building = source.building.resolvingSecrets { secrets[$0.identity] }
    OutsideWords.hide(secretsOf: resolved.building)
    let standIns = zip(wanted, results).filter { $1.isStandIn }.map(\.0)
    if !standIns.isEmpty { Console.say(SecretWords.standIns(standIns)) }
    return resolved
  }

  /// The passwords that a building needs, each with the reason why it is not to be had. Only the environment and files are looked
  /// at: no program is run, and nobody is asked.
  static func inspect(_ building: Building) -> [(wanted: Wanted, failure: SecretTrouble?)] {
    let resolver = SecretResolver(isRehearsal: false)
    return wanted(by: building.rooms).map { wanted in
      guard wanted.reference.source.isAtHand else { return (wanted, nil) }
      do throws(SecretTrouble) {
        _ = try resolver.atHand(wanted)
        return (wanted, nil)
      } catch {
        return (wanted, error)
      }
    }
  }

  /// What rooms need, each once, in the manifest's order.
  static func wanted(by rooms: [Room]) -> [Wanted] {
    var wanted: [Wanted] = []
    var places: [SecretReference: Int] = [:]
    var seen: [Set<String>] = []
    for room in rooms {
      for description in DeviceProfiles[room.profile]?.settings ?? [] {
        guard case .secret(let secret)? = room.settings[description.name], let reference = secret.reference
        else { continue }
        let index = places[reference.identity] ?? wanted.count
        if index == wanted.count {
          places[reference.identity] = index
          wanted.append(Wanted(reference: reference, networks: [], description: description))
          seen.append([])
        }
        let network = room.settings[.wifiSSID]?.shown ?? room.name
        if seen[index].insert(network).inserted { wanted[index].networks.append(network) }
      }
    }
    return wanted.sorted {
      ($0.reference.file, $0.reference.line, $0.reference.column)
        < ($1.reference.file, $1.reference.line, $1.reference.column)
    }
  }

  /// What became of each. Programs run after the environment is clean, and a person is asked only where nothing else is missing.
  private func results(
    _ wanted: [Wanted], forgetting names: Set<String>
  ) -> [Result<Secret, SecretTrouble>] {
    var results: [Int: Result<Secret, SecretTrouble>] = [:]
    func take(_ stage: (SecretSource) -> Bool, _ body: (Wanted) throws(SecretTrouble) -> Secret) {
      for (index, wanted) in wanted.enumerated() where stage(wanted.reference.source) {
        do throws(SecretTrouble) {
          results[index] = .success(try body(wanted))
        } catch {
          results[index] = .failure(error)
        }
      }
    }
    take(\.isAtHand) { wanted throws(SecretTrouble) in try atHand(wanted) }
    HostEnvironment.forget(names)
    take(\.isCommand) { wanted throws(SecretTrouble) in
      guard !isRehearsal, case .command(let words) = wanted.reference.source else {
        return standIn(for: wanted)
      }
      return try SecretText.checked(try SecretCommand.run(words), isLines: true, wanted.description)
    }
    let isComplete = results.values.allSatisfy { (try? $0.get()) != nil }
    take({ $0 == .prompt }) { wanted throws(SecretTrouble) in
      if isRehearsal { return standIn(for: wanted) }
      return try SecretText.checked(
        try SecretPrompt.ask("Password of \(SecretWords.networks(of: wanted)): ", isNeeded: isComplete),
        isLines: false, wanted.description)
    }
    return wanted.indices.compactMap { results[$0] }
  }

  /// A password of the environment or of a file.
  private func atHand(_ wanted: Wanted) throws(SecretTrouble) -> Secret {
    do throws(SecretTrouble) {
      if case .file(let path) = wanted.reference.source {
        return try SecretText.checked(
          try SecretFile.read(path, besides: wanted.reference.file), isLines: true, wanted.description)
      }
      guard case .environment(let name) = wanted.reference.source,
        let value = HostEnvironment.variable(name)
      else { throw .notSet }
      if value.isEmpty { throw .empty }
      return try SecretText.checked(value, isLines: false, wanted.description)
    } catch {
      if isRehearsal, error.isAbsence { return standIn(for: wanted) }
      throw error
    }
  }

  /// A password that nobody has: the same each time, and like no word that a device could say.
  private func standIn(for wanted: Wanted) -> Secret {
    let place = "\(wanted.reference.file):\(wanted.reference.line):\(wanted.reference.column)"
    return .standIn(String(HostEnvironment.sha256(Array("stand-in \(place)".utf8)).prefix(20)))
  }
}

extension Result<Secret, SecretTrouble> {
  fileprivate var isStandIn: Bool { (try? get())?.isStandIn ?? false }
}

extension SecretSource {
  /// Whether it costs nothing to look there.
  fileprivate var isAtHand: Bool {
    switch self {
    case .environment, .file: true
    case .command, .prompt: false
    }
  }

  fileprivate var isCommand: Bool { if case .command = self { true } else { false } }
}
