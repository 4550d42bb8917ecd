import DBus

/// The clients that discover on one adapter, and their filters. The daemon turns changes into signals.
struct DiscoverySessions {
  /// The filters of clients, including those that do not discover.
  private var filters: [BusName: DiscoveryFilter] = [:]
  private var clients: Set<BusName> = []

  var active: Bool { !clients.isEmpty }

  func contains(_ client: BusName) -> Bool { clients.contains(client) }

  /// Stores a client's filter; it applies immediately to a running discovery. Nil removes it.
  mutating func setFilter(_ filter: DiscoveryFilter?, for client: BusName) {
    filters[client] = filter
  }

  /// docs/internals/bluez.md, "Discovery": a second start by the same client is an error, by another client it is not.
  mutating func start(_ client: BusName) throws(DBusError) {
    guard clients.insert(client).inserted else { throw BlueZFailure.busy }
  }

  /// docs/internals/bluez.md, "Discovery": a client cannot stop the discovery of another.
  mutating func stop(_ client: BusName) throws(DBusError) {
    guard clients.remove(client) != nil else { throw BlueZFailure.noDiscovery }
    filters[client] = nil
  }

  /// docs/internals/bluez.md, "Discovery": the discovery of a client that leaves the bus ends by itself.
  mutating func forget(_ client: BusName) {
    clients.remove(client)
    filters[client] = nil
  }

  /// Ends all discoveries, as when the adapter is switched off.
  mutating func removeAll() { self = Self() }

  private var running: [DiscoveryFilter?] { clients.map { filters[$0] } }

  /// The kernel's filter.
  var merged: MergedFilter? { MergedFilter(running) }

  /// docs/internals/bluez.md, "Discovery": an advertisement is reported if it matches the filter of any client.
  func wants(_ received: AdvertisingReport, name: String?) -> Bool {
    running.contains { $0?.matches(received, name: name) ?? true }
  }

  /// Whether unchanged data is signalled again each time it is received.
  var duplicateData: Bool { running.contains { $0?.duplicateData ?? false } }

  /// Whether a discovering client has set a filter, even one that selects everything (`filtered_discovery`).
  var isFiltered: Bool { running.contains { $0 != nil } }

  /// The minimum change of the RSSI that is signalled, in dB. Recorded traces: with a filter every report is
  /// signalled, changed or not; otherwise 8 (`RSSI_THRESHOLD`).
  var rssiThreshold: Int { isFiltered ? 0 : 8 }
}
