import Bluetooth
import DBus

/// What one client asked to be told of (`SetDiscoveryFilter`).
struct DiscoveryFilter: Hashable, Sendable {
  /// Only what advertises at least one of these.
  var uuids: Set<BluetoothUUID> = []
  /// Only what is heard at least this strongly, in dBm.
  var rssi: Int?
  /// Only what is at most this path loss away; needs the transmit power in the advertisement.
  var pathloss: Int?
  /// Only what has an address or a name that starts like this.
  var pattern: String?
  /// Whether manufacturer and service data are signalled each time they are heard.
  var duplicateData = false
  /// Whether classic Bluetooth is wanted as well (`auto`, which is also what holds without a transport).
  var wantsClassic = true

  static let accepted = [
    "Discoverable", "DuplicateData", "Pathloss", "Pattern", "RSSI", "Transport", "UUIDs",
  ]

  init() {}

  /// Reads the dictionary of a call (`parse_discovery_filter_dict`).
  /// - Throws: `InvalidArguments` for an unknown key, a value of a wrong type or outside its range, both of RSSI
  ///   and path loss, a UUID that is none, and for classic Bluetooth alone, which these adapters do not speak.
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

  /// Whether it says more than which radio and how often.
  var selects: Bool { !uuids.isEmpty || rssi != nil || pathloss != nil || pattern != nil }

  /// Whether what was heard is wanted (`is_filter_match`).
  func matches(_ heard: AdvertisingReport, name: String?) -> Bool {
    if let rssi, heard.rssi < rssi { return false }
    // Nothing here advertises its transmit power, so a path loss is never known, and an unknown one does not match.
    if pathloss != nil { return false }
    if !uuids.isEmpty, uuids.isDisjoint(with: heard.payload.serviceUUIDs) { return false }
    if let pattern, !heard.address.description.hasPrefix(pattern), !(name ?? "").hasPrefix(pattern) {
      return false
    }
    return true
  }
}

/// What bluetoothd asks the kernel for on behalf of all clients that discover (`merge_discovery_filters`, BlueZ's adapter.c).
struct MergedFilter: Hashable, Sendable {
  /// The least strength that any client wants, in dBm; nil when one of them sets none.
  private var rssi: Int?
  /// Empty when one of them names none.
  private var uuids: Set<BluetoothUUID>
  private var wantsClassic: Bool

  /// The filter for these clients, each with the filter that it has set; nil when none of them has set any, which is
  /// another kind of discovery for the kernel.
  init?(_ clients: [DiscoveryFilter?]) {
    let filters = clients.compactMap { $0 }
    guard !filters.isEmpty else { return nil }
    // One client without a filter, and everything is wanted, whatever the others set.
    let isRegular = filters.count < clients.count
    rssi = isRegular || filters.contains { $0.rssi == nil } ? nil : filters.compactMap(\.rssi).min()
    uuids =
      isRegular || filters.contains { $0.uuids.isEmpty } ? [] : Set(filters.flatMap { Array($0.uuids) })
    wantsClassic = isRegular || filters.contains(where: \.wantsClassic)
  }
}
