import DBus

/// Who discovers on one adapter, and with which filters. Pure state; the daemon turns what changes into signals.
struct DiscoverySessions {
  /// Filters that clients have set, whether they discover or not.
  private var filters: [BusName: DiscoveryFilter] = [:]
  private var clients: Set<BusName> = []

  /// Whether anyone discovers.
  var active: Bool { !clients.isEmpty }

  /// Whether this client does.
  func contains(_ client: BusName) -> Bool { clients.contains(client) }

  /// Keeps a client's filter; one that discovers already gets it at once. An empty dictionary clears it.
  mutating func setFilter(_ filter: DiscoveryFilter?, for client: BusName) {
    filters[client] = filter
  }

  /// docs/bluez.md, "Discovery": starting twice from one client is an error, by another one it is not.
  mutating func start(_ client: BusName) throws(DBusError) {
    guard clients.insert(client).inserted else { throw BlueZFailure.busy }
  }

  /// docs/bluez.md, "Discovery": stopping another client's discovery is an error.
  mutating func stop(_ client: BusName) throws(DBusError) {
    guard clients.remove(client) != nil else { throw BlueZFailure.noDiscovery }
    filters[client] = nil
  }

  /// docs/bluez.md, "Discovery": what a client that leaves the bus has started ends by itself.
  mutating func forget(_ client: BusName) {
    clients.remove(client)
    filters[client] = nil
  }

  /// Everything ends, as when the adapter goes off.
  mutating func removeAll() { self = Self() }

  private var running: [DiscoveryFilter?] { clients.map { filters[$0] } }

  /// What the kernel is asked for.
  var merged: MergedFilter? { MergedFilter(running) }

  /// docs/bluez.md, "Discovery": filters of several clients are merged by OR, so that each is told what any has asked for.
  func wants(_ heard: AdvertisingReport, name: String?) -> Bool {
    running.contains { $0?.matches(heard, name: name) ?? true }
  }

  /// Whether data that has been told is told again each time it is heard.
  var duplicateData: Bool { running.contains { $0?.duplicateData ?? false } }

  /// Whether someone who discovers has set a filter, be it one that lets everything through (`filtered_discovery`).
  var isFiltered: Bool { running.contains { $0 != nil } }

  /// The least change of RSSI that is told, in dB: recorded traces, every report with a filter, changed or not; otherwise
  /// 8 (`RSSI_THRESHOLD`).
  var rssiThreshold: Int { isFiltered ? 0 : 8 }
}
