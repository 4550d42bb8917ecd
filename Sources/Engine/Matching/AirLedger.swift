public import Bluetooth
import Families
public import Model

/// Everything that was heard so far, device by device: what matching and scheduling know of the air.
public struct AirLedger: Sendable {
  /// A device as it was last heard.
  public struct Sighting: Hashable, Sendable {
    /// Who.
    public var address: BluetoothAddress
    /// Who heard it last.
    public var adapter: AdapterID
    /// When it was first heard.
    public var firstHeard: MonotonicInstant
    /// When it was last heard; nil once that is no longer worth anything (`mustBeHeardAgain`).
    public var lastHeard: MonotonicInstant?
    /// RSSI last reported, in dBm.
    public var rssi: Int?
    /// The local name it gave last.
    public var name: String?
    /// The family it was last recognised as, and the life it is in; nil of a beacon that is of none of ours.
    public var life: Life?
    /// The beacon it is, if it is one.
    public var beacon: IBeacon?
    /// When an advertisement last had that beacon; others have none, and say nothing about it.
    public var beaconHeard: MonotonicInstant?
    /// By whom it was heard, when last, and how strongly: worth something until it must be heard again.
    public var hearings: [AdapterID: Hearing] = [:]

    /// Whether it was heard waiting to be provisioned.
    public var isWaiting: Bool { life?.recognition == .awaitingProvisioning }

    /// Its beacon, when it is at work.
    public var beaconAtWork: IBeacon? { isWaiting ? nil : beacon }

    /// Whether its last advertisement had its beacon.
    fileprivate var isBeaconing = false

    /// It was heard again, saying what it is known to say.
    mutating func refresh(_ advertisement: Advertisement) {
      if isBeaconing { beaconHeard = advertisement.receivedAt }
      adapter = advertisement.adapter
      lastHeard = advertisement.receivedAt
      rssi = advertisement.rssi ?? rssi
      hearings[adapter, default: Hearing(since: advertisement.receivedAt)].hear(advertisement)
    }
  }

  /// A family and the life one of its devices is in.
  public struct Life: Hashable, Sendable {
    /// The family.
    public var profile: ProfileID
    /// Waiting, at work, or merely there.
    public var recognition: Recognition

    /// Whether it may be free, should no room have it. A device that is merely there may be at work as well: where its
    /// family has an identity on air it is taken to be, and else only a hint tells (`isWaiting`, without one).
    var isFree: Bool {
      switch recognition {
      case .awaitingProvisioning: true
      case .present: DeviceProfiles[profile]?.hasIdentity == false
      case .configured: false
      }
    }
  }

  /// How an adapter heard a device last.
  public struct Hearing: Hashable, Sendable {
    /// Since when it has been heard there.
    public let since: MonotonicInstant
    /// When last.
    public private(set) var at: MonotonicInstant
    /// RSSI in dBm, as last reported there.
    public private(set) var rssi: Int?
    /// How often an RSSI was reported, and all of these together.
    private var reports = 0
    private var sum = 0

    /// A beginning; nothing was heard yet.
    init(since: MonotonicInstant) {
      self.since = since
      at = since
    }

    /// How strongly it is heard there: the mean of all reports, in dBm; nil while there are fewer than these.
    public func strength(reports least: Int = 1) -> Double? {
      reports < max(least, 1) ? nil : Double(sum) / Double(reports)
    }

    mutating func hear(_ advertisement: Advertisement) {
      at = advertisement.receivedAt
      guard let reported = advertisement.rssi else { return }
      rssi = reported
      reports += 1
      sum += reported
    }
  }

  /// How many devices the ledger holds, besides those that are named. A building of 10,000 sensors fills half of it.
  public static let mostDevices = 20_000
  /// For how many devices the last advertisement is kept.
  private static let mostSayings = 50_000

  private let profiles: [any DeviceFamily]
  /// Devices that are held even when the ledger is full.
  private let named: Set<BluetoothAddress>
  /// Whether a device was ignored because the ledger was full.
  public private(set) var hasOverflowed = false
  /// Beacons that count whoever sends them. Any others of no family of ours are passed over: offices are full of them.
  private let wanted: Set<BeaconIdentity>
  private var devices: [BluetoothAddress: Sighting] = [:]
  /// What each said last: what is said again needs no second thought, and that is nearly all that is ever heard.
  private var sayings: [BluetoothAddress: Saying] = [:]
  /// Who is at work with an identity.
  private var atWork: [BeaconIdentity: Set<BluetoothAddress>] = [:]

  /// What an advertisement says of its sender.
  private struct Saying: Hashable, Sendable {
    let localName: String?
    let serviceUUIDs: [BluetoothUUID]
    let manufacturerData: [UInt16: [UInt8]]
    let serviceData: [BluetoothUUID: [UInt8]]

    init(_ advertisement: Advertisement) {
      localName = advertisement.localName
      serviceUUIDs = advertisement.serviceUUIDs
      manufacturerData = advertisement.manufacturerData
      serviceData = advertisement.serviceData
    }
  }

  /// A ledger that recognises devices of these families, and these beacons whoever sends them.
  /// - Parameter named: devices that are held even when there are more than `mostDevices`.
  public init(
    profiles: [any DeviceFamily], wanted: Set<BeaconIdentity> = [], named: Set<BluetoothAddress> = []
  ) {
    self.profiles = profiles
    self.named = named
    self.wanted = wanted
  }

  /// Takes in what was heard. Returns the sighting when it is news to people: a device not heard before, or
  /// in another life than before. Devices of no family of ours are passed over.
  public mutating func hear(_ advertisement: Advertisement) -> Sighting? {
    let saying = Saying(advertisement)
    if sayings[advertisement.address] == saying {
      devices[advertisement.address]?.refresh(advertisement)
      return nil
    }
    if sayings.count >= Self.mostSayings { sayings = sayings.filter { devices[$0.key] != nil } }
    sayings[advertisement.address] = saying
    return consider(advertisement)
  }

  private mutating func consider(_ advertisement: Advertisement) -> Sighting? {
    let known = devices[advertisement.address]
    let life = life(of: advertisement, known?.life)
    let beacon = advertisement.iBeacon
    guard life != nil || known != nil || beacon.map({ wanted.contains($0.identity) }) ?? false else {
      return nil
    }
    guard known != nil || devices.count < Self.mostDevices || named.contains(advertisement.address) else {
      hasOverflowed = true
      return nil
    }
    var sighting = Sighting(
      address: advertisement.address, adapter: advertisement.adapter,
      firstHeard: known?.firstHeard ?? advertisement.receivedAt, rssi: known?.rssi,
      name: advertisement.localName ?? known?.name, life: life, beacon: beacon ?? known?.beacon,
      beaconHeard: known?.beaconHeard, hearings: known?.hearings ?? [:], isBeaconing: beacon != nil)
    sighting.refresh(advertisement)
    // A device that waits under its name is no beacon any more.
    if sighting.isWaiting, beacon == nil { sighting.beacon = nil }
    devices[sighting.address] = sighting
    index(sighting, before: known)
    return life == known?.life && sighting.beacon?.identity == known?.beacon?.identity ? nil : sighting
  }

  private func life(of advertisement: Advertisement, _ known: Life?) -> Life? {
    if let (profile, recognition) = DeviceProfiles.recognise(advertisement, among: profiles),
      !isBeaconOfAnother(profile, recognition, than: known, advertisement)
    {
      // That it is there takes nothing back of what it was heard to say before.
      if recognition == .present, let known, known.profile == profile { return known }
      return Life(profile: profile, recognition: recognition)
    }
    // A device of ours stays one, whatever beacon it sends without offering its service: the two may come apart.
    guard let known, let beacon = advertisement.iBeacon,
      let profile = profiles.first(where: { $0.id == known.profile })
    else { return known }
    var offering = advertisement
    offering.serviceUUIDs.append(profile.service)
    return Life(
      profile: known.profile, recognition: profile.recognise(offering) ?? .configured(beacon))
  }

  /// Whether a device of one of our families merely sends the beacon by which another one's are known: rooms may expect of
  /// both the same uuid and major.
  private func isBeaconOfAnother(
    _ profile: ProfileID, _ recognition: Recognition, than known: Life?, _ advertisement: Advertisement
  ) -> Bool {
    guard case .configured = recognition, let known, known.profile != profile,
      let family = profiles.first(where: { $0.id == profile })
    else { return false }
    return !advertisement.serviceUUIDs.contains(family.service)
  }

  private mutating func index(_ sighting: Sighting, before known: Sighting?) {
    let (old, new) = (known?.beaconAtWork?.identity, sighting.beaconAtWork?.identity)
    guard old != new else { return }
    if let old { atWork[old]?.remove(sighting.address) }
    if let new { atWork[new, default: []].insert(sighting.address) }
  }

  /// What is known of a device.
  public subscript(address: BluetoothAddress) -> Sighting? { devices[address] }

  /// Devices of any family of ours that a room could get, by address.
  public var free: [Sighting] { sorted { $0.life?.isFree ?? false } }

  /// Devices of a family that wait to be provisioned, by address: those that a room without any hint could get.
  public func waiting(for profile: ProfileID) -> [Sighting] {
    sorted { $0.life?.profile == profile && $0.isWaiting }
  }

  /// Devices of a family that a room could get that says where its device is, by address.
  public func free(for profile: ProfileID) -> [Sighting] {
    sorted { $0.life?.profile == profile && $0.life?.isFree ?? false }
  }

  /// Devices that can be written as they are, by address: those that a room could get, and those at work that take
  /// other settings all the same.
  public var writable: [Sighting] {
    sorted { sighting in
      guard let life = sighting.life else { return false }
      return life.isFree || DeviceProfiles[life.profile]?.isRewritable ?? false
    }
  }

  /// Devices that are at work with this identity, by address.
  public func devices(proving proof: Proof) -> [Sighting] {
    guard case .beacon(let identity) = proof else { return [] }
    return (atWork[identity] ?? []).sorted().compactMap { devices[$0] }
  }

  /// For how many devices the last advertisement is kept now.
  var rememberedSayings: Int { sayings.count }

  /// Every device, by address.
  package var all: [Sighting] { sorted { _ in true } }

  private func sorted(_ isWanted: (Sighting) -> Bool) -> [Sighting] {
    devices.values.filter(isWanted).sorted { $0.address < $1.address }
  }

  /// Says that nobody remembers anybody: all must be heard again before they can be dialled.
  public mutating func mustBeHeardAgain() {
    for address in devices.keys { mustBeHeardAgain(address) }
  }

  /// Says that an adapter was lost: what it reported of devices counts no more.
  public mutating func mustBeHeardAgain(on adapter: AdapterID) {
    for address in devices.keys { devices[address]?.hearings[adapter] = nil }
  }

  /// Says that a device was connected to, or forgotten by the stack: it can be dialled again only after it
  /// was heard again.
  public mutating func mustBeHeardAgain(_ address: BluetoothAddress) {
    devices[address]?.lastHeard = nil
    devices[address]?.hearings = [:]
  }
}
