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
  /// The passwords that the manifest refers to, in its order, each with the reason if one from a variable or a file is missing.
  var passwords: [(wanted: SecretResolver.Wanted, failure: SecretError?)] = []
  /// The result of a scan; nil without a scan.
  package var reception: HostFact<ScanReception>?

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
    passwords = SecretResolver.inspect(source.building)
    HostEnvironment.forget(source.passwords.environment)
    do throws(JournalError) {
      let archive = try BuildingArchive.read(in: reports, building: building.id, .outcomes)
      known = Known(lastKnown: archive.state.lastKnown)
      recordFault = archive.faults.first.map { FaultWords.sentence($0.kind, in: $0.journal) }
    } catch {
      recordFault = JournalMessages.failure(error).message
    }
  }
}
