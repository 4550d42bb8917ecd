import Bluetooth
import Synchronization
import VirtualBuilding

/// The number of links at once in the virtual world.
final class LinkMeter: Sendable {
  private struct State {
    var adapters: [LinkID: BluetoothAddress] = [:]
    var devices: [LinkID: BluetoothAddress] = [:]
    var most: [BluetoothAddress: Int] = [:]
    var mostInAll = 0
  }

  private let state = Mutex(State())

  func take(_ event: HostEvent) {
    switch event {
    case .linkUp(let link, let adapter, let address):
      state.withLock {
        $0.adapters[link] = adapter
        $0.devices[link] = address
        let count = $0.adapters.values.count { $0 == adapter }
        $0.most[adapter] = max($0.most[adapter] ?? 0, count)
        $0.mostInAll = max($0.mostInAll, $0.adapters.count)
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

  /// The most links at once since the last call: by adapter, and in all.
  func takePeak() -> (adapters: [BluetoothAddress: Int], all: Int) {
    state.withLock { state in
      defer {
        state.most = state.adapters.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        state.mostInAll = state.adapters.count
      }
      return (state.most, state.mostInAll)
    }
  }

  /// The links that are up, with their devices.
  var open: [LinkID: BluetoothAddress] { state.withLock { $0.devices } }

  func adapter(of link: LinkID) -> BluetoothAddress? { state.withLock { $0.adapters[link] } }
}
