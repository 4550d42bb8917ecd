package import Bluetooth
import Model

/// Facts about the Bluetooth stack and its adapters.
package struct RadioFacts: Sendable, Hashable {
  /// `BlueZ 5.66`; nil if the stack does not report it, for example without an adapter.
  var stack: String?
  /// Why the stack cannot be used; nil if it can.
  var failure: CentralError?
  /// Sorted by name.
  var adapters: [Item]
  /// The other hosts, in their order; empty without any.
  var hosts: [Host] = []
  /// Why this computer's stack cannot be used, though that of another host can.
  var localFailure: CentralError?

  /// Another host.
  package struct Host: Sendable, Hashable {
    var name: HostName
    var stack: String?
    /// The number of adapters that can be used.
    var ready = 0
    /// Nil if it can be used.
    var failure: HostUnavailable?
  }

  package init(stack: String? = nil, failure: CentralError? = nil, adapters: [Item] = []) {
    (self.stack, self.failure, self.adapters) = (stack, failure, adapters)
  }

  package struct Item: Sendable, Hashable {
    var adapter: Adapter
    /// The devices to which it holds a link; nil if unknown.
    var links: [BluetoothAddress]?
    /// The programs that may be scanning with it; empty if unknown.
    var clients: [String] = []
  }

  /// The adapters that can be used.
  package var ready: [Adapter] { adapters.map(\.adapter).filter { $0.state == .ready } }

  /// Reads the state of the stack. It waits 1.5 s, after which the stack shows whether another program scans.
  package static func read(_ central: any Central, _ clock: any TimeSource) async -> RadioFacts {
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
        var adapter = adapter
        // No other program uses the stack, so none scans.
        if clients?.isEmpty == true { adapter.isScannedByOthers = false }
        facts.adapters.append(Item(adapter: adapter, links: links?.map(\.address), clients: clients ?? []))
      }
    } catch {
      facts.failure = error
    }
    for host in await central.hosts() {
      guard let name = host.host else {
        facts.localFailure = facts.failure == nil ? host.failure : nil
        continue
      }
      let ready = facts.ready.count { $0.id.host == name }
      facts.hosts.append(
        Host(
          name: name, stack: await central.stackVersion(on: name), ready: ready, failure: HostUnavailable(host)))
    }
    return facts
  }
}
