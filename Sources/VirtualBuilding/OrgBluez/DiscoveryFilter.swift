import Bluetooth
import DBus

/// The filter of one client (`SetDiscoveryFilter`).
struct DiscoveryFilter: Hashable, Sendable {
  /// Selects devices that advertise at least one of these.
  var uuids: Set<BluetoothUUID> = []
  /// Selects devices with at least this RSSI, in dBm.
  var rssi: Int?
  /// Selects devices with at most this path loss in dB; needs the transmit power in the advertisement.
  var pathloss: Int?
  /// Selects devices whose address or name begins with this text.
  var pattern: String?
  /// Whether manufacturer and service data are signalled each time they are received.
  var duplicateData = false
  /// Whether classic Bluetooth is included (`auto`, which is also the default).
  var wantsClassic = true

  static let accepted = [
    "Discoverable", "DuplicateData", "Pathloss", "Pattern", "RSSI", "Transport", "UUIDs",
  ]

  /// Parses the dictionary of a call (`parse_discovery_filter_dict`).
  /// - Throws: `InvalidArguments` for an unknown key, a value of the wrong type or out of range, RSSI
  ///   together with path loss, an invalid UUID, and for classic Bluetooth alone, which these adapters do not
  ///   support.
  init(_ dictionary: DBusValue) throws(DBusError) {
    guard let entries = dictionary.asVardict else { throw BlueZFailure.invalidArguments }
    for (key, value) in entries {
      guard read(key, value) else { throw BlueZFailure.invalidArguments }
    }
    if rssi != nil, pathloss != nil { throw BlueZFailure.invalidArguments }
  }

  private mutating func read(_ key: String, _ value: DBusValue) -> Bool {
    switch key {
    case "Transport":
      wantsClassic = value.asString == "auto"
      return ["auto", "le"].contains(value.asString)
    case "UUIDs":
      guard let texts = value.asStrings else { return false }
      uuids = Set(texts.compactMap { BluetoothUUID($0) })
      return texts.allSatisfy { BluetoothUUID($0) != nil }
    case "RSSI":
      rssi = value.asInt16.map(Int.init)
      return rssi.map { (-127...20).contains($0) } ?? false
    case "Pathloss":
      pathloss = value.asUInt16.map(Int.init)
      return pathloss.map { $0 <= 137 } ?? false
    case "Pattern":
      pattern = value.asString.flatMap { $0.isEmpty ? nil : $0 }
      return value.asString != nil
    case "DuplicateData":
      duplicateData = value.asBool ?? false
      return value.asBool != nil
    case "Discoverable":
      return value.asBool != nil
    default:
      return false
    }
  }

  /// Whether an advertisement matches (`is_filter_match`).
  func matches(_ received: AdvertisingReport, name: String?) -> Bool {
    if let rssi, received.rssi < rssi { return false }
    // Nothing here advertises its transmit power, so the path loss is unknown and does not match.
    if pathloss != nil { return false }
    if !uuids.isEmpty, uuids.isDisjoint(with: received.payload.serviceUUIDs) { return false }
    if let pattern, !received.address.description.hasPrefix(pattern), !(name ?? "").hasPrefix(pattern) {
      return false
    }
    return true
  }
}

/// The kernel's filter on behalf of all discovering clients (`merge_discovery_filters`, BlueZ's adapter.c).
struct MergedFilter: Hashable, Sendable {
  /// The minimum RSSI of all clients, in dBm; nil if one of them sets none.
  private var rssi: Int?
  /// Empty if one of them sets none.
  private var uuids: Set<BluetoothUUID>
  private var wantsClassic: Bool

  /// Merges the clients' filters. Returns nil if no client has set one, which is another kind of discovery
  /// for the kernel.
  init?(_ clients: [DiscoveryFilter?]) {
    let filters = clients.compactMap { $0 }
    guard !filters.isEmpty else { return nil }
    // One client without a filter makes the kernel report everything.
    let isRegular = filters.count < clients.count
    rssi = isRegular || filters.contains { $0.rssi == nil } ? nil : filters.compactMap(\.rssi).min()
    uuids =
      isRegular || filters.contains { $0.uuids.isEmpty } ? [] : Set(filters.flatMap { Array($0.uuids) })
    wantsClassic = isRegular || filters.contains(where: \.wantsClassic)
  }
}
