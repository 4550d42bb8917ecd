package import Engine
package import Model
import Reporting

package struct BuildingFacts: Sendable {
  /// The manifest's path on the command line.
  var manifest: String
  package var building: Building
  package var known: Known
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
