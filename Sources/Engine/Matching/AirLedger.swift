package import Bluetooth
package import Model

/// All devices received so far: what matching and scheduling know of the air.
package struct AirLedger: Sendable {
  /// The last known state of a device on air.
  package struct Sighting: Hashable, Sendable {
    package var address: BluetoothAddress
    /// The adapter that received it last.
    package var adapter: AdapterID
    package var firstReceived: MonotonicInstant
    /// When it was first received as a free device, or again after it was none.
    package fileprivate(set) var freeSince: MonotonicInstant
    /// When it was last received; nil once that no longer counts (`mustBeReceivedAgain`).
    package var lastReceived: MonotonicInstant?
    /// The last reported RSSI, in dBm.
    package var rssi: Int?
    /// The last local name that it sent.
    package var name: String?
    /// The address on its label, as it says it; nil in families whose devices do not.
    package fileprivate(set) var labelAddress: BluetoothAddress?
    /// Whether it changes its address from time to time.
    package fileprivate(set) var hasChangingAddress: Bool
    /// The family that it was last recognised as, and its state; nil for an identity of another kind.
    package var life: Life?
    /// The families between which what it sent does not decide; empty without several.
    package fileprivate(set) var rivals: [FamilyID]
    /// Its last identity; nil without one.
    package var identity: DeviceIdentity?
    /// The identities that it sent, at most `mostIdentities`.
    fileprivate var identities: [DeviceIdentity] = []
    /// When an advertisement last contained that identity. Advertisements without one do not change it.
    package var identityReceived: MonotonicInstant?
    /// The last sighting on each adapter. Cleared when the device must be received again.
    package var receptions: [AdapterID: Reception] = [:]

    /// Two sightings of this address that no single device explains; nil without any.
    package fileprivate(set) var contradiction: Contradiction?
    fileprivate var alternation = Alternation()
    /// Whether its last advertisement showed provisioning mode.
    fileprivate var showsWaiting: Bool

    /// What rooms name it by.
    var nameInManifests: String? { labelAddress?.description ?? name }

    /// Whether a manifest or a label means it by this name.
    package func isNamed(_ text: String) -> Bool {
      guard let labelAddress else { return name == text }
      return LabelAddressRule.address(writtenIn: text) == labelAddress
    }

    package var isWaiting: Bool { life?.recognition == .awaitingProvisioning }

    /// Whether a person must press its button before it accepts settings.
    package var isLocked: Bool { life?.recognition == .locked }

    /// Whether it is configured, and sends no identity that shows how.
    package var isAtWorkUnnamed: Bool { life?.recognition == .configured(nil) }

    /// Its identity, unless it is in provisioning mode.
    package var identityAtWork: DeviceIdentity? { isWaiting ? nil : identity }

    /// Whether its last advertisement contained its identity.
    fileprivate var isIdentified: Bool

    /// The identity in its last advertisement.
    package var identityNow: DeviceIdentity? { isIdentified ? identity : nil }

    /// The adapter that receives it most strongly, and its last RSSI there, of those that received it within 10 s of the
    /// last sighting.
    package var strongest: (adapter: AdapterID, rssi: Int?) {
      let last = receptions.values.map(\.at).max()
      let recent = receptions.filter { last.map($0.value.at.duration(to:)) ?? .zero <= .seconds(10) }
      let best = recent.max { ($0.value.rssi ?? .min, $1.key) < ($1.value.rssi ?? .min, $0.key) }
      return best.map { ($0.key, $0.value.rssi ?? rssi) } ?? (adapter, rssi)
    }

    /// Takes an advertisement with the same content as the last one.
    mutating func refresh(_ advertisement: Advertisement) {
      if isIdentified { identityReceived = advertisement.receivedAt }
      adapter = advertisement.adapter
      lastReceived = advertisement.receivedAt
      if showsWaiting || isIdentified {
        note(showsWaiting ? nil : identity, on: adapter, at: advertisement.receivedAt)
      }
      rssi = advertisement.rssi ?? rssi
      receptions[adapter, default: Reception(since: advertisement.receivedAt)].receive(advertisement)
    }

    /// Takes the state of the device: the identity that it sends, or nil in provisioning mode.
    fileprivate mutating func note(
      _ identity: DeviceIdentity?, on adapter: AdapterID, at instant: MonotonicInstant
    ) {
      guard let (first, second) = alternation.receive(identity, on: adapter, at: instant) else { return }
      contradiction = contradiction ?? Contradiction(address, first, second)
    }
  }

  /// The family of a device and its state.
  package struct Life: Hashable, Sendable {
    package var profile: FamilyID
    /// The state: in provisioning mode, configured, or only present.
    package var recognition: Recognition

  }

  /// The last sightings of a device on one adapter.
  package struct Reception: Hashable, Sendable {
    /// An adapter connects only to a device that it received at most this long ago: BlueZ removes its objects
    /// 30 s after discovery stops (docs/internals/bluez.md), and 5 s are left for the attempt to begin.
    static let freshness = Duration.seconds(25)

    /// The first sighting on this adapter.
    package let since: MonotonicInstant
    /// The last sighting.
    package private(set) var at: MonotonicInstant
    /// The last reported RSSI on this adapter, in dBm.
    package private(set) var rssi: Int?
    /// The number of reported RSSI values, and their sum.
    private var reports = 0
    private var sum = 0

    /// A value before its first advertisement.
    init(since: MonotonicInstant) {
      self.since = since
      at = since
    }

    /// The mean of all reported RSSI values on this adapter, in dBm; nil while there are fewer reports than
    /// `least`.
    package func strength(reports least: Int = 1) -> Double? {
      reports < max(least, 1) ? nil : Double(sum) / Double(reports)
    }

    /// Whether it is recent enough to connect to the device, or to measure its nearness.
    func isFresh(at now: MonotonicInstant) -> Bool { now <= freshUntil }

    /// The last instant at which it is.
    var freshUntil: MonotonicInstant { at.advanced(by: Self.freshness) }

    mutating func receive(_ advertisement: Advertisement) {
      at = advertisement.receivedAt
      guard let reported = advertisement.rssi else { return }
      rssi = reported
      reports += 1
      sum += reported
    }
  }

  /// The limit of identities that are kept of one device.
  private static let mostIdentities = 16
  /// The limit of devices, besides named ones. A building of 10,000 sensors uses half of it.
  private static let mostDevices = 20_000
  /// The limit of recorded sightings of one device. A device at work has a few per attempt.
  private static let mostSightingsOfOne = 100
  /// The limit of recorded sightings of all devices together, besides named ones.
  private static let mostSightings = 100_000
  /// The limit of devices whose last advertisement is kept.
  private static let mostContents = 50_000

  private let families: FamilyCatalogue
  /// Devices that are kept even beyond the limit.
  private let named: Set<BluetoothAddress>
  /// Whether a device was dropped because of the limit.
  package private(set) var hasOverflowed = false
  private var isOverflowNoted = false
  /// Identities that count from any sender. Others of unknown families are dropped: offices are full of them.
  private let wanted: Set<DeviceIdentity>
  private var devices: [BluetoothAddress: Sighting] = [:]
  /// The number of recorded sightings of each device, and of all.
  private var recorded: [BluetoothAddress: Int] = [:]
  private var recordedInAll = 0
  /// The content of the last advertisement of each device. Repeated content, which is nearly all, needs no
  /// evaluation.
  private var contents: [BluetoothAddress: Content] = [:]
  /// The devices that advertise each identity.
  private var atWork: [DeviceIdentity: Set<BluetoothAddress>] = [:]

  /// The content of an advertisement, without RSSI and time.
  private struct Content: Hashable, Sendable {
    let localName: String?
    let serviceUUIDs: [BluetoothUUID]
    let manufacturerData: [UInt16: [UInt8]]
    let serviceData: [BluetoothUUID: [UInt8]]
    let isKnown: Bool

    init(_ advertisement: Advertisement) {
      localName = advertisement.localName
      serviceUUIDs = advertisement.serviceUUIDs
      manufacturerData = advertisement.manufacturerData
      serviceData = advertisement.serviceData
      isKnown = advertisement.hasContent
    }
  }

  /// A ledger that recognises devices of these families, and these identities from any sender.
  /// - Parameter named: devices that are kept even beyond the limit of devices.
  package init(
    families: FamilyCatalogue, wanted: Set<DeviceIdentity> = [], named: Set<BluetoothAddress> = []
  ) {
    self.families = families
    self.named = named
    self.wanted = wanted
  }

  /// Takes an advertisement. Returns the sighting of a device that is new or has another state or identity
  /// than before. Devices of unknown families are dropped.
  package mutating func receive(_ advertisement: Advertisement) -> Sighting? {
    let content = Content(advertisement)
    if contents[advertisement.address] == content {
      // By its index it is changed in place; by its key it would be moved out of the table and back.
      if let place = devices.index(forKey: advertisement.address) {
        devices.values[place].refresh(advertisement)
      }
      return nil
    }
    if contents.count >= Self.mostContents { contents = contents.filter { devices[$0.key] != nil } }
    contents[advertisement.address] = content
    return consider(advertisement)
  }

  /// Whether a sighting that `receive` returned goes on record; counts it. A sender that changes its state
  /// without end cannot fill the record.
  package mutating func mayRecord(_ sighting: Sighting) -> Bool {
    let count = recorded[sighting.address, default: 0]
    guard count < Self.mostSightingsOfOne,
      recordedInAll < Self.mostSightings || named.contains(sighting.address)
    else { return false }
    recorded[sighting.address] = count + 1
    recordedInAll += 1
    return true
  }

  /// Whether a device was dropped and the record does not say so yet: true once.
  mutating func notesOverflow() -> Bool {
    guard hasOverflowed, !isOverflowNoted else { return false }
    isOverflowNoted = true
    return true
  }

  private mutating func consider(_ advertisement: Advertisement) -> Sighting? {
    let known = devices[advertisement.address]
    let life = life(of: advertisement, known?.life)
    let identity = families.identity(in: advertisement)
    guard life != nil || known != nil || identity.map({ wanted.contains($0) }) ?? false else {
      return nil
    }
    guard known != nil || devices.count < Self.mostDevices || named.contains(advertisement.address) else {
      hasOverflowed = true
      return nil
    }
    let rivals = known.map(\.rivals).flatMap { $0.isEmpty ? nil : $0 } ?? families.rivals(advertisement)
    var sighting = Sighting(
      address: advertisement.address, adapter: advertisement.adapter,
      firstReceived: known?.firstReceived ?? advertisement.receivedAt,
      freeSince: known?.freeSince ?? advertisement.receivedAt, rssi: known?.rssi,
      name: advertisement.localName ?? known?.name,
      labelAddress: life.flatMap { families[$0.profile]?.labelAddress?.address(in: advertisement) }
        ?? known?.labelAddress, hasChangingAddress: advertisement.hasChangingAddress,
      life: life, rivals: rivals, identity: identity ?? known?.identity, identities: known?.identities ?? [],
      identityReceived: known?.identityReceived, receptions: known?.receptions ?? [:],
      contradiction: known?.contradiction, alternation: known?.alternation ?? Alternation(),
      showsWaiting: showsWaiting(advertisement, life), isIdentified: identity != nil)
    if let identity, isWaitingToo(advertisement) {
      let waiting = StateSighting(adapter: advertisement.adapter, identity: nil)
      let configured = StateSighting(adapter: advertisement.adapter, identity: identity)
      sighting.contradiction =
        sighting.contradiction ?? Contradiction(advertisement.address, waiting, configured)
    }
    if let identity, !sighting.identities.contains(identity),
      sighting.identities.count < Self.mostIdentities
    {
      sighting.identities.append(identity)
    }
    sighting.refresh(advertisement)
    // A device in provisioning mode that sends no identity has none any more.
    if sighting.isWaiting, identity == nil { sighting.identity = nil }
    if let known, !isFree(known), isFree(sighting) { sighting.freeSince = advertisement.receivedAt }
    devices[sighting.address] = sighting
    index(sighting, before: known)
    return life == known?.life && sighting.identity == known?.identity ? nil : sighting
  }

  /// Whether the advertisement itself shows provisioning mode, not only what is known of its sender.
  private func showsWaiting(_ advertisement: Advertisement, _ life: Life?) -> Bool {
    guard let life, let family = families[life.profile] else { return false }
    return family.recognise(advertisement) == .awaitingProvisioning
  }

  /// Whether an advertisement with the identity of a configured device shows provisioning mode as well.
  private func isWaitingToo(_ advertisement: Advertisement) -> Bool {
    guard case (let id, .configured)? = families.recognise(advertisement), let family = families[id],
      let place = family.identity?.place
    else { return false }
    var rest = advertisement
    switch place {
    case .manufacturerData(let company): rest.manufacturerData[company] = nil
    case .serviceData(let uuid): rest.serviceData[uuid] = nil
    }
    return family.recognise(rest) == .awaitingProvisioning
  }

  /// Takes what a link shows: a device that is not rewritable accepts one in provisioning mode only.
  package mutating func linked(
    _ address: BluetoothAddress, on adapter: AdapterID, at instant: MonotonicInstant
  ) {
    devices[address]?.note(nil, on: adapter, at: instant)
  }

  private func life(of advertisement: Advertisement, _ known: Life?) -> Life? {
    if let (profile, recognition) = families.recognise(advertisement),
      !isIdentityOfAnother(profile, recognition, than: known, advertisement)
    {
      // `present` does not replace a more specific earlier state.
      if recognition == .present, let known, known.profile == profile { return known }
      return Life(profile: profile, recognition: recognition)
    }
    // A device of a known family keeps its family, even if it sends its identity without its service: the two may
    // be in separate advertisements.
    guard let known, let family = families[known.profile],
      let identity = families.identity(in: advertisement)
    else { return known }
    var offering = advertisement
    offering.serviceUUIDs.append(family.service)
    return Life(
      profile: known.profile, recognition: family.recognise(offering) ?? .configured(identity))
  }

  /// Whether a device of one family only sends the identity by which devices of another family are recognised:
  /// rooms of both families may expect the same uuid and major.
  private func isIdentityOfAnother(
    _ profile: FamilyID, _ recognition: Recognition, than known: Life?, _ advertisement: Advertisement
  ) -> Bool {
    guard case .configured = recognition, let known, known.profile != profile,
      let family = families[profile]
    else { return false }
    return !advertisement.serviceUUIDs.contains(family.service)
  }

  private mutating func index(_ sighting: Sighting, before known: Sighting?) {
    if let old = known?.identityAtWork { atWork[old]?.remove(sighting.address) }
    if let new = sighting.identityAtWork { atWork[new, default: []].insert(sighting.address) }
  }

  /// The identity in an advertisement, in the format of any of its families.
  package func identity(in advertisement: Advertisement) -> DeviceIdentity? {
    families.identity(in: advertisement)
  }

  package subscript(address: BluetoothAddress) -> Sighting? { devices[address] }

  /// The last sightings of a device on an adapter; nil without one.
  func reception(of device: BluetoothAddress, on adapter: AdapterID) -> Reception? {
    devices.index(forKey: device).flatMap { devices.values[$0].receptions[adapter] }
  }

  /// The device of this address, or the only one of this name.
  package subscript(device: DeviceReference) -> Sighting? {
    switch device {
    case .address(let address): return self[address]
    case .name(let name):
      let named = all.filter { $0.isNamed(name) }
      return named.count == 1 ? named[0] : nil
    }
  }

  /// Free devices of any built-in family, by address.
  package var free: [Sighting] { sorted(isFree) }

  /// Devices of a family in provisioning mode, by address: those that a room without a hint could get.
  package func waiting(for profile: FamilyID) -> [Sighting] {
    sorted { $0.life?.profile == profile && $0.isWaiting }
  }

  /// Free devices of a family, by address: those that a room with a hint could get.
  package func free(for profile: FamilyID) -> [Sighting] {
    sorted { $0.life?.profile == profile && isFree($0) }
  }

  /// Devices of a family that a room can name, by address: free ones, and those that say what is on their label.
  package func nameable(for profile: FamilyID) -> [Sighting] {
    sorted { $0.life?.profile == profile && ($0.labelAddress != nil || isFree($0)) }
  }

  /// Devices that can be written as they are, by address: free ones, and configured ones of a family that
  /// accepts new settings at any time.
  package var writable: [Sighting] {
    sorted { isFree($0) || lifecycle(of: $0)?.isRewritable == true }
  }

  /// Whether a device may be free if no room has it. A device that is only present may be at work, and then no room
  /// gets it by nearness, unless its family is written at each action and so is never at work.
  private func isFree(_ sighting: Sighting) -> Bool {
    switch sighting.life?.recognition {
    case .awaitingProvisioning?: true
    case .present?: lifecycle(of: sighting)?.isPerAction == true
    case .locked?, .joining?, .configured?, nil: false
    }
  }

  private func lifecycle(of sighting: Sighting) -> Lifecycle? {
    sighting.life.flatMap { families[$0.profile] }?.lifecycle
  }

  /// Whether a device sent this identity, as far as it distinguishes devices, or so many that not all are kept.
  package func mayHaveSent(_ identity: DeviceIdentity, from address: BluetoothAddress) -> Bool {
    guard let identities = devices[address]?.identities else { return false }
    return identities.contains { $0.distinction == identity.distinction }
      || identities.count == Self.mostIdentities
  }

  /// Devices that advertise this identity, by address.
  package func devices(sending identity: DeviceIdentity?) -> [Sighting] {
    guard let identity else { return [] }
    return (atWork[identity] ?? []).sorted().compactMap { devices[$0] }
  }

  /// The number of devices whose last advertisement is kept.
  var rememberedContents: Int { contents.count }

  package var all: [Sighting] { sorted { _ in true } }

  private func sorted(_ isWanted: (Sighting) -> Bool) -> [Sighting] {
    devices.values.filter(isWanted).sorted { $0.address < $1.address }
  }

  /// Marks all sightings as outdated: every device must be received again before a connection.
  package mutating func mustBeReceivedAgain() {
    for address in devices.keys { mustBeReceivedAgain(address) }
  }

  /// Whether a device was received that sends nothing of these families.
  func isStranger(_ address: BluetoothAddress) -> Bool {
    devices[address] == nil && contents[address]?.isKnown ?? false
  }

  /// Removes the sightings of a lost adapter.
  package mutating func mustBeReceivedAgain(on adapter: AdapterID) {
    for address in devices.keys { devices[address]?.receptions[adapter] = nil }
  }

  /// Removes the sighting of a device on an adapter whose stack forgot it. The other adapters may still connect to it.
  package mutating func mustBeReceivedAgain(_ address: BluetoothAddress, on adapter: AdapterID) {
    devices[address]?.receptions[adapter] = nil
    if devices[address]?.receptions.isEmpty == true { devices[address]?.lastReceived = nil }
  }

  /// Marks the sightings of a device as outdated, after a connection or after the stack has forgotten it: it
  /// must be received again before the next connection.
  package mutating func mustBeReceivedAgain(_ address: BluetoothAddress) {
    devices[address]?.lastReceived = nil
    devices[address]?.receptions = [:]
    // The run has written it, or tried to, which explains its next change.
    devices[address]?.alternation = Alternation()
  }
}
