import Bluetooth
import Synchronization
import VirtualBuilding

/// The number of links at once in the virtual world.
final class LinkMeter: Sendable {
  private struct State {
    var adapters: [LinkID: BluetoothAddress] = [:]
    var devices: [LinkID: BluetoothAddress] = [:]
    /// The links that an earlier run left.
    var leftOver: Set<LinkID> = []
    var most: [BluetoothAddress: Int] = [:]
    var mostInAll = 0

    /// The adapters of the links that the present run made.
    var own: [BluetoothAddress] { adapters.filter { !leftOver.contains($0.key) }.map(\.value) }

    /// Counts from the present links on.
    mutating func restart() {
      most = own.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      mostInAll = own.count
    }
  }

  private let state = Mutex(State())

  func take(_ event: HostEvent) {
    switch event {
    case .linkUp(let link, let adapter, let address):
      state.withLock {
        $0.adapters[link] = adapter
        $0.devices[link] = address
        let own = $0.own
        $0.most[adapter] = max($0.most[adapter] ?? 0, own.count { $0 == adapter })
        $0.mostInAll = max($0.mostInAll, own.count)
      }
    case .linkDown(let link, _):
      state.withLock {
        $0.adapters[link] = nil
        $0.devices[link] = nil
      }
    case .advertisement, .notification, .adapters, .stack:
      break
    }
  }

  /// A run begins. A killed run leaves its links, and one on another laptop does not know of them.
  func beginRun() {
    state.withLock {
      $0.leftOver = Set($0.adapters.keys)
      $0.restart()
    }
  }

  /// The most links of the present run at once since the last call: by adapter, and in all.
  func takePeak() -> (adapters: [BluetoothAddress: Int], all: Int) {
    state.withLock { state in
      defer { state.restart() }
      return (state.most, state.mostInAll)
    }
  }

  /// The links that are up, with their devices.
  var open: [LinkID: BluetoothAddress] { state.withLock { $0.devices } }

  func adapter(of link: LinkID) -> BluetoothAddress? { state.withLock { $0.adapters[link] } }
}
