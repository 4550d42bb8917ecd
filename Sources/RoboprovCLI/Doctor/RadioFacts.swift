import Bluetooth
import Model
import Waiting

/// Facts of the Bluetooth stack and its adapters.
struct RadioFacts: Sendable, Hashable {
  /// `BlueZ 5.66`; nil where it does not say, as without an adapter.
  var stack: String?
  /// Why it cannot be asked; nil where it can.
  var failure: CentralError?
  /// By their names.
  var adapters: [Item] = []

  /// An adapter.
  struct Item: Sendable, Hashable {
    var adapter: Adapter
    /// The devices that it holds a link to; nil where that is not known.
    var links: [BluetoothAddress]?
    /// The programs that may be scanning with it; empty where that is not known.
    var clients: [String] = []
  }

  /// Those that can be used.
  var ready: [Adapter] { adapters.map(\.adapter).filter { $0.state == .ready } }

  /// Asks the stack. Whether another program scans is known after a second, for which this waits.
  static func read(_ central: any Central, _ clock: any TimeSource) async -> RadioFacts {
    var facts = RadioFacts(stack: await central.stackVersion())
    do throws(CentralError) {
      var adapters = try await central.adapters()
      if adapters.contains(where: { $0.state == .ready }) {
        try? await clock.sleep(for: .milliseconds(1500))
        adapters = try await central.adapters()
      }
      for adapter in adapters.sorted(by: { $0.name < $1.name }) {
        let links = try? await central.connectedPeripherals(on: adapter.id)
        let clients = adapter.isScannedByOthers ? await central.scanningClients(on: adapter.id) : []
        facts.adapters.append(Item(adapter: adapter, links: links?.map(\.address), clients: clients))
      }
    } catch {
      facts.failure = error
    }
    return facts
  }
}
