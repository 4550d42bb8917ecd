package import Engine
import Host
import Journal
import Manifest
package import Model
import Reporting

package struct BuildingFacts: Sendable {
  /// The manifest's path on the command line.
  var manifest: String
  package var building: Building
  package var known = Known()
  /// Why the record cannot be used, as a clause; nil if it can.
  var recordFault: String?
  /// The passwords that the manifest refers to, in its order.
  var passwords: [Password] = []
  /// The result of a scan; nil without a scan.
  package var reception: HostFact<ScanReception>?

  /// A password that the manifest refers to.
  package struct Password: Sendable, Hashable {
    var networks: String
    var state: State

    package enum State: Sendable, Hashable {
      case set
      /// The problem, and the advice.
      case missing(String, advice: String)
      /// Why it is not checked here.
      case unchecked(String)
    }
  }

  /// The rooms in the sightings of a scan.
  package struct ScanReception: Sendable, Hashable {
    /// The scan time of each adapter, in seconds.
    var seconds: Double
    /// The adapters that scanned: `hci0`.
    var adapters: [String]
    var rooms: RoomReception

    package init(seconds: Double, adapters: [String], rooms: RoomReception) {
      (self.seconds, self.adapters, self.rooms) = (seconds, adapters, rooms)
    }
  }

  package var rooms: [Room] { building.rooms.filter { known.lastKnown.rooms[$0.id]?.retirement == nil } }
}

extension BuildingFacts {
  /// The facts about a manifest's building before any scan. This removes the manifest's passwords from the
  /// environment.
  package init(_ source: ManifestSource, in reports: String) {
    (manifest, building) = (source.path, source.building)
    passwords = SecretResolver.inspect(source.building).map { wanted, failure in
      Password(networks: SecretMessages.networks(of: wanted), state: Self.state(of: wanted, failure))
    }
    HostEnvironment.forget(source.passwords.environment)
    do throws(JournalError) {
      let archive = try BuildingArchive.read(in: reports, building: building.id, .outcomes)
      known = Known(lastKnown: archive.state.lastKnown)
      recordFault = archive.faults.first.map { FaultWords.sentence($0.kind, in: $0.journal) }
    } catch {
      recordFault = JournalMessages.failure(error).message
    }
  }

  /// - Parameter failure: The reason that a password from a variable or a file is missing; nil if it is set.
  private static func state(of wanted: SecretResolver.Wanted, _ failure: SecretError?) -> Password.State {
    switch wanted.reference.source {
    case .command: return .unchecked("it is the output of a program, which only `plan` and `apply` run")
    case .prompt: return .unchecked("`plan` and `apply` ask for it at the terminal")
    case .environment, .file, .labels:
      guard let failure else { return .set }
      let words = SecretMessages.sentence(failure, wanted.reference.source)
      return .missing(words.sentence, advice: words.advice)
    }
  }
}
