import Bluetooth
import DBus

/// The known facts about the advertising of one device object, over the lifetime of the object. It
/// distinguishes received advertisements from properties that BlueZ merely caches.
///
/// BlueZ keeps each field until a new value arrives, so an object may combine an old name with new
/// manufacturer data. The following behaviour is reliable instead (BlueZ's `device.c`, `adapter.c`; runs with
/// 5.66):
///
/// - With `DuplicateData`, each report that has manufacturer or service data signals them again, changed or
///   not. A report without them signals only the RSSI. Without `DuplicateData`, which only this client's
///   discovery requests, a report with unchanged data also signals only the RSSI: it neither confirms nor
///   contradicts the data.
/// - A name is signalled only when it changes.
/// - An object that a report created (it appears with an RSSI) contains that report and nothing older, with
///   one exception: its name may come from the cache on disk, which is kept even after `RemoveDevice`.
struct ReceivedContent: Hashable, Sendable {
  /// The content of a report, as far as it is certain.
  struct Payload: Hashable, Sendable {
    var localName: String?
    var serviceUUIDs: [BluetoothUUID] = []
    var manufacturerData: [UInt16: [UInt8]] = [:]
    var serviceData: [BluetoothUUID: [UInt8]] = [:]

    /// Whether it contains something that a report with the same content would signal again.
    var repeats: Bool { !manufacturerData.isEmpty || !serviceData.isEmpty }
  }

  struct Sighting: Hashable, Sendable {
    /// In dBm. If this report's RSSI was not signalled, the last signalled value (less than 8 dB different).
    var rssi: Int?
    /// The content of the report. Empty if it is in doubt.
    var payload: Payload
    /// Whether only a new object can show the peripheral's current content.
    var wantsCleanSlate: Bool
  }

  private enum Content: Hashable {
    /// The object existed before this client observed it.
    case remembered
    /// The content of the last report is known.
    case received(Payload)
    /// The last report differed from the one before, and its content is unknown.
    case doubtful
  }

  private var content: Content

  /// Whether the content is certain: the object was created, or its data signalled, while this client was on
  /// the bus, and no later report contradicts it.
  var isCertain: Bool {
    if case .received = content { true } else { false }
  }

  /// An object that existed before this client observed it, or that was created from storage.
  static let remembered = Self(content: .remembered)

  /// An object that has just appeared with these properties, and the report that created it, if there was one.
  static func created(_ device: Properties) -> (new: Self, sighting: Sighting?) {
    guard let rssi = device.number(Name.Property.rssi) else { return (.remembered, nil) }
    var payload = Payload(device)
    // An iBeacon fills its advertisement, so this name comes from the cache, or at best from a scan response.
    if payload.manufacturerData[IBeacon.company].flatMap(IBeacon.init(manufacturerData:)) != nil {
      payload.localName = nil
    }
    return (Self(content: .received(payload)), Sighting(rssi: rssi, payload: payload, wantsCleanSlate: false))
  }

  /// Applies a `PropertiesChanged` of `Device1`.
  /// - Parameters:
  ///   - changed: The content of the signal.
  ///   - device: The object's properties after the signal.
  ///   - repeatsData: Whether a report also signals unchanged data, which is so while this client's discovery
  /// runs.
  /// - Returns: The report that caused the signal; nil if the signal has another cause.
  mutating func take(_ changed: Properties, device: Properties, repeatsData: Bool) -> Sighting? {
    guard Self.isReport(changed, device) else { return nil }
    var wantsCleanSlate = content == .remembered
    var new = Payload(changed)
    if device.flag(Name.Property.connected) { new.serviceUUIDs = [] }
    if new.repeats || new.localName != nil {
      content = .received(merged(new))
    } else {
      switch content {
      case .received(let last) where !last.repeats:
        content = .received(merged(new))
      case .received where !repeatsData:
        return Sighting(rssi: device.number(Name.Property.rssi), payload: Payload(), wantsCleanSlate: false)
      case .received:
        content = .doubtful
        wantsCleanSlate = true
      case .doubtful:
        wantsCleanSlate = true
      case .remembered:
        break
      }
    }
    let payload = if case .received(let payload) = content { payload } else { Payload() }
    return Sighting(
      rssi: device.number(Name.Property.rssi), payload: payload, wantsCleanSlate: wantsCleanSlate)
  }

  /// The report's own fields, and the name and services of the last report, which are not signalled again, if
  /// it was of the same kind.
  private func merged(_ new: Payload) -> Payload {
    guard case .received(let last) = content,
      Set(last.manufacturerData.keys) == Set(new.manufacturerData.keys),
      Set(last.serviceData.keys) == Set(new.serviceData.keys)
    else { return new }
    var payload = new
    payload.localName = new.localName ?? last.localName
    if new.serviceUUIDs.isEmpty { payload.serviceUUIDs = last.serviceUUIDs }
    return payload
  }

  /// Whether the signal comes from a report. Only reports change the RSSI and the data. A name may also be
  /// read over a connection, and service UUIDs always are once connected.
  private static func isReport(_ changed: Properties, _ device: Properties) -> Bool {
    let fields = [Name.Property.rssi, Name.Property.manufacturerData, Name.Property.serviceData]
    if fields.contains(where: { changed[$0] != nil }) { return true }
    return changed[Name.Property.name] != nil && !device.flag(Name.Property.connected)
      && device.number(Name.Property.rssi) != nil
  }
}

extension ReceivedContent.Payload {
  /// The maximum length of an advertisement in bytes, with all extensions (Bluetooth Core, Vol 4 Part E
  /// 7.7.65.13). Longer data was not received over the air.
  private static let longestData = 1650
  /// The maximum number of 16-bit service UUIDs in an advertisement.
  private static let mostServices = longestData / 2

  fileprivate init(_ properties: Properties) {
    localName = properties.text(Name.Property.name).flatMap {
      $0.utf8.count <= Self.longestData ? $0 : nil
    }
    serviceUUIDs = (properties.texts(Name.Property.uuids) ?? []).prefix(Self.mostServices)
      .compactMap { BluetoothUUID($0) }
    manufacturerData = (properties.bytesByNumber(Name.Property.manufacturerData) ?? [:])
      .filter { $0.value.count <= Self.longestData }
    for (uuid, data) in properties.bytesByText(Name.Property.serviceData) ?? [:]
    where data.count <= Self.longestData {
      if let uuid = BluetoothUUID(uuid) { serviceData[uuid] = data }
    }
  }
}

extension ReceivedContent.Sighting {
  func advertisement(
    of address: BluetoothAddress, by adapter: AdapterID, at instant: MonotonicInstant
  ) -> Advertisement {
    Advertisement(
      address: address, adapter: adapter, receivedAt: instant, rssi: rssi, localName: payload.localName,
      serviceUUIDs: payload.serviceUUIDs, manufacturerData: payload.manufacturerData,
      serviceData: payload.serviceData)
  }
}

/// Decides which objects may be removed so that the next report creates them again, and how often.
struct CleanSlates: Sendable {
  /// The minimum time between two removals of an object. Reports that are split in two (data in one, name in
  /// the other) look like a change each time, and the object would be removed all the time.
  static let interval = Duration.seconds(10)

  /// When each object was last removed: in the current interval, and in the one before. A record is dropped with its
  /// interval, so a removal never searches the others: a hall may have 200,000 devices.
  private var removed: [ObjectPath: MonotonicInstant] = [:]
  private var removedBefore: [ObjectPath: MonotonicInstant] = [:]
  /// When the current interval began.
  private var began: MonotonicInstant?

  /// The number of removals on record.
  var recordCount: Int { removed.count + removedBefore.count }

  /// Whether the user has paired, trusted or blocked a device, or a client is connected to it.
  static func isTied(_ device: Properties) -> Bool {
    device.flag(Name.Property.connected) || ties.contains(where: device.flag)
  }

  static let bond = [Name.Property.paired, Name.Property.bonded]
  private static let ties = bond + [Name.Property.trusted, Name.Property.blocked]

  /// What the user has done with a device, so that its object stays; nil if nothing.
  /// - Parameter withBond: whether a bond is of the user.
  static func tie(of device: Properties, at path: ObjectPath, withBond: Bool = true) -> CentralError? {
    let words = ties.filter { device.flag($0) && (withBond || !bond.contains($0)) }.joined(separator: ", ")
    return words.isEmpty ? nil : CentralError(.other, stackText: "\(words): \(path.text)")
  }

  /// Whether to remove this object now, during a scan. Never true for a tied object.
  mutating func grants(_ path: ObjectPath, _ device: Properties, at now: MonotonicInstant) -> Bool {
    guard !Self.isTied(device) else { return false }
    if began.map({ now >= $0.advanced(by: Self.interval) }) ?? true {
      (removedBefore, removed, began) = (removed, [:], now)
    }
    if let last = removed[path] ?? removedBefore[path], now < last.advanced(by: Self.interval) {
      return false
    }
    removed[path] = now
    return true
  }
}

/// The objects that BlueZ refused to remove, and when to ask for each again.
struct RefusedRemovals: Sendable {
  /// The back-off after the first refusal; it doubles with each further one.
  static let firstPause = Duration.seconds(2)
  /// The longest back-off.
  static let longestPause = Duration.seconds(60)

  struct Refusal: Sendable {
    /// Names the object and BlueZ's error.
    var error: CentralError
    var pause: Duration
    /// When the back-off ends.
    var end: MonotonicInstant
  }

  private var refusals: [ObjectPath: Refusal] = [:]

  /// The refusal of an object; nil if BlueZ did not refuse to remove it.
  subscript(path: ObjectPath) -> Refusal? {
    get { refusals[path] }
    set { refusals[path] = newValue }
  }

  func mayRemove(_ path: ObjectPath, at now: MonotonicInstant) -> Bool {
    refusals[path].map { now >= $0.end } ?? true
  }

  mutating func refused(_ path: ObjectPath, _ error: CentralError, at now: MonotonicInstant) {
    let pause = min(refusals[path].map { $0.pause * 2 } ?? Self.firstPause, Self.longestPause)
    refusals[path] = Refusal(error: error, pause: pause, end: now.advanced(by: pause))
  }
}
