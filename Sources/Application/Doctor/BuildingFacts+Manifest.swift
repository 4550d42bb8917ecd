import Engine
import Manifest
import Journal
import Model
import Reporting

extension BuildingFacts {
  /// The facts about a manifest's building before any scan. This removes the manifest's passwords from the
  /// environment.
  package init(_ source: ManifestSource, in reports: String) {
    let passwords = SecretResolver.inspect(source.building).map { wanted, failure in
      Password(
        networks: SecretMessages.networks(of: wanted), state: .init(failure, of: wanted.reference.source))
    }
    HostEnvironment.forget(source.passwords.environment)
    let record = Self.record(of: source.building.id, in: reports)
    self.init(
      manifest: source.path, building: source.building, known: Known(lastKnown: record.lastKnown),
      recordFault: record.fault,
      passwords: passwords)
  }

  private static func record(of building: String, in reports: String) -> (
    lastKnown: LastKnownBuilding, fault: String?
  ) {
    do throws(JournalError) {
      let archive = try BuildingArchive.read(in: reports, building: building, .outcomes)
      let fault = archive.faults.first.map { FaultWords.sentence($0.kind, in: $0.journal) }
      return (archive.state.lastKnown, fault)
    } catch {
      return (LastKnownBuilding(), JournalMessages.failure(error).message)
    }
  }
}

extension BuildingFacts.Password.State {
  /// - Parameter failure: The reason that a password from a variable or a file is missing; nil if it is set.
  fileprivate init(_ failure: SecretError?, of source: SecretSource) {
    switch source {
    case .command: self = .unchecked("it is the output of a program, which only `plan` and `apply` run")
    case .prompt: self = .unchecked("`plan` and `apply` ask for it at the terminal")
    case .environment, .file, .labels:
      guard let failure else {
        self = .set
        return
      }
      let words = SecretMessages.sentence(failure, source)
      self = .missing(words.sentence, advice: words.advice)
    }
  }
}
