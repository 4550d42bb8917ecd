package import Bluetooth
package import Model

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
    var description: HostDescription
    var stack: String?
    /// Nil if it can be used.
    var failure: HostUnavailable?
    /// How long a call to its bus takes; nil if it cannot be used.
    var roundTrip: Duration?
    var facts: HostFacts
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
    /// Whether rfkill blocks it; nil if unknown.
    var block: RadioBlock?
    /// Its entry in the manifest; nil without one.
    var description: AdapterDescription?
  }

  /// The adapters that can be used.
  package var ready: [Adapter] { adapters.map(\.adapter).filter { $0.state == .ready } }

  /// Reads the state of the stack. It waits 1.5 s, after which the stack shows whether another program scans.
  /// - Parameter hosts: The other hosts, which are asked through ssh, too.
  package static func read(
    _ central: any Central, _ clock: any TimeSource, of hosts: [HostDescription] = []
  ) async -> RadioFacts {
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
    let said = await central.hosts()
    let local = said.first { $0.host == nil }?.failure
    if facts.failure == nil {
      facts.localFailure = local
    } else {
      // The failure of several hosts is that of one of them.
      facts.failure = local ?? facts.failure
    }
    facts.hosts = await withTaskGroup(of: (Int, Host).self) { tasks in
      for (index, host) in hosts.enumerated() {
        tasks.addTask {
          let failure = said.first { $0.host == host.name }.flatMap(HostUnavailable.init)
          return (
            index,
            Host(
              description: host, stack: await central.stackVersion(on: host.name), failure: failure,
              roundTrip: await central.roundTrip(to: host.name), facts: await .ask(host))
          )
        }
      }
      return await tasks.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    return facts
  }
}
