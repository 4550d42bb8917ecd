import Bluetooth
import DBus

/// What one device object's advertising is known to be, over that object's life: tells what has just been
/// *heard* from what BlueZ merely remembers.
///
/// BlueZ keeps each field until another value of it arrives, so an object may hold the name of one life
/// and the manufacturer data of another. What we rely on instead (BlueZ's `device.c`, `adapter.c`; runs
/// against 5.66):
///
/// - With `DuplicateData`, each report that has manufacturer or service data signals it again, changed or
///   not. A report without them signals RSSI alone. Without `DuplicateData`, which only a discovery of ours asks for,
///   a report whose data has not changed signals RSSI alone as well: it neither confirms nor contradicts.
/// - A name is signalled when it changes, and not otherwise.
/// - An object made by a report (it comes with an RSSI) holds that report and nothing older, but for one
///   thing: its name may come from the cache on disk, which outlives even `RemoveDevice`.
struct DeviceNews: Hashable, Sendable {
  /// What a report said, as far as it is certain.
  struct Payload: Hashable, Sendable {
    var localName: String?
    var serviceUUIDs: [BluetoothUUID] = []
    var manufacturerData: [UInt16: [UInt8]] = [:]
    var serviceData: [BluetoothUUID: [UInt8]] = [:]

    /// Whether there is something in it that a report with the same content would signal again.
    var repeats: Bool { !manufacturerData.isEmpty || !serviceData.isEmpty }
  }

  /// One report, as news.
  struct Hearing: Hashable, Sendable {
    /// In dBm; when this report's was not signalled, the last one that was (less than 8 dB away).
    var rssi: Int?
    /// What it said. Empty when that is in doubt.
    var payload: Payload
    /// Whether only a new object can tell what this peripheral says now.
    var wantsCleanSlate: Bool
  }

  private enum Content: Hashable {
    /// The object is older than our knowledge of it.
    case remembered
    /// The last report was this.
    case heard(Payload)
    /// The last report was something else than the one before, and did not say what.
    case doubtful
  }

  private var content: Content

  /// Whether the object's content is known for certain: the object was made, or its data signalled, while we were on
  /// the bus, and no later report contradicts that.
  var isCertain: Bool {
    if case .heard = content { true } else { false }
  }

  /// An object that was there before we looked, or was made from storage.
  static let remembered = Self(content: .remembered)

  /// An object that has just appeared, and the report that made it, if it was a report.
  static func born(_ device: Properties) -> (news: Self, hearing: Hearing?) {
    guard let rssi = device.number(Name.Property.rssi) else { return (.remembered, nil) }
    var payload = Payload(device)
    // An iBeacon fills its advertisement, so this name is from the cache, or at best from a scan response.
    if payload.manufacturerData[IBeacon.company].flatMap(IBeacon.init(manufacturerData:)) != nil {
      payload.localName = nil
    }
    return (Self(content: .heard(payload)), Hearing(rssi: rssi, payload: payload, wantsCleanSlate: false))
  }

  /// Takes a `PropertiesChanged` of `Device1` in.
  /// - Parameters:
  ///   - changed: what the signal carries.
  ///   - device: the object after the signal.
  ///   - repeatsData: whether a report signals its data even if that has not changed: a discovery of ours runs.
  /// - Returns: the report behind the signal; nil when the signal comes from something else.
  mutating func take(_ changed: Properties, device: Properties, repeatsData: Bool) -> Hearing? {
    guard Self.isReport(changed, device) else { return nil }
    var wantsCleanSlate = content == .remembered
    var news = Payload(changed)
    if device.flag(Name.Property.connected) { news.serviceUUIDs = [] }
    if news.repeats || news.localName != nil {
      content = .heard(merged(news))
    } else {
      switch content {
      case .heard(let last) where !last.repeats:
        content = .heard(merged(news))
      case .heard where !repeatsData:
        return Hearing(rssi: device.number(Name.Property.rssi), payload: Payload(), wantsCleanSlate: false)
      case .heard:
        content = .doubtful
        wantsCleanSlate = true
      case .doubtful:
        wantsCleanSlate = true
      case .remembered:
        break
      }
    }
    let payload = if case .heard(let payload) = content { payload } else { Payload() }
    return Hearing(
      rssi: device.number(Name.Property.rssi), payload: payload, wantsCleanSlate: wantsCleanSlate)
  }

  /// The report's own fields, and of the last one what this one certainly did not take back: its name and
  /// services, which are not signalled again, if it was a report of the same kind.
  private func merged(_ news: Payload) -> Payload {
    guard case .heard(let last) = content,
      Set(last.manufacturerData.keys) == Set(news.manufacturerData.keys),
      Set(last.serviceData.keys) == Set(news.serviceData.keys)
    else { return news }
    var payload = news
    payload.localName = news.localName ?? last.localName
    if news.serviceUUIDs.isEmpty { payload.serviceUUIDs = last.serviceUUIDs }
    return payload
  }

  /// RSSI and data come with reports alone. A name may also have been read over a connection, and the
  /// services' UUIDs always are, once connected.
  private static func isReport(_ changed: Properties, _ device: Properties) -> Bool {
    let fields = [Name.Property.rssi, Name.Property.manufacturerData, Name.Property.serviceData]
    if fields.contains(where: { changed[$0] != nil }) { return true }
    return changed[Name.Property.name] != nil && !device.flag(Name.Property.connected)
      && device.number(Name.Property.rssi) != nil
  }
}

extension DeviceNews.Payload {
  /// The longest advertisement, with all its extensions (Bluetooth Core, Vol 4 Part E 7.7.65.13). What is longer was not
  /// received over the air.
  private static let longestData = 1650
  /// So many services of 16 bits fill it.
  private static let mostServices = longestData / 2

  /// What is in these properties.
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

extension DeviceNews.Hearing {
  /// The hearing as the seam has it.
  func advertisement(
    of address: BluetoothAddress, by adapter: AdapterID, at instant: MonotonicInstant
  ) -> Advertisement {
    Advertisement(
      address: address, adapter: adapter, receivedAt: instant, rssi: rssi, localName: payload.localName,
      serviceUUIDs: payload.serviceUUIDs, manufacturerData: payload.manufacturerData,
      serviceData: payload.serviceData)
  }
}

/// Which objects may be removed so that the next report makes them anew, and how often.
struct CleanSlates: Sendable {
  /// A report that is split in two (data in one half, name in the other) looks like a change of mind each
  /// time; this keeps such a peripheral from being removed all the time.
  static let interval = Duration.seconds(10)

  private var removed: [ObjectPath: MonotonicInstant] = [:]

  /// Whether the user has paired, trusted or blocked a device, or anybody is connected to it.
  static func isTied(_ device: Properties) -> Bool {
    let ties = [
      Name.Property.connected, Name.Property.paired, Name.Property.bonded, Name.Property.trusted,
      Name.Property.blocked,
    ]
    return ties.contains(where: device.flag)
  }

  /// Whether to remove this object now, while a scan runs. Never one that is tied.
  mutating func grants(_ path: ObjectPath, _ device: Properties, at now: MonotonicInstant) -> Bool {
    guard !Self.isTied(device) else { return false }
    if let last = removed[path], now < last.advanced(by: Self.interval) { return false }
    if removed.count >= 4096 { removed = removed.filter { now < $0.value.advanced(by: Self.interval) } }
    removed[path] = now
    return true
  }
}
