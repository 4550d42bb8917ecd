import Bluetooth
import Engine
import Model

/// What is known of the building that a run is to provision.
struct BuildingFacts: Sendable {
  /// Its manifest, as the command line named it.
  var manifest: String
  var building: Building
  var known: Known
  /// Why the record cannot be used, as a clause; nil where it can.
  var recordFault: String?
  /// The passwords that the manifest refers to, in its order.
  var passwords: [Password] = []
  /// What was received of it; nil where no scan was made.
  var reception: HostFact<ScanReception>?

  /// A password that the manifest refers to.
  struct Password: Sendable, Hashable {
    /// The networks that it is of.
    var networks: String
    var state: State

    enum State: Sendable, Hashable {
      case set
      /// What is wrong, and what to do.
      case missing(String, advice: String)
      /// It is not looked up here: why.
      case unchecked(String)
    }
  }

  /// What a scan received of the rooms.
  struct ScanReception: Sendable, Hashable {
    /// For how long each adapter scanned.
    var seconds: Double
    /// The adapters that scanned: `hci0`.
    var adapters: [String]
    var rooms: RoomReception
  }

  /// The rooms that are in service.
  var rooms: [Room] { building.rooms.filter { known.standing.rooms[$0.id]?.retirement == nil } }
}
