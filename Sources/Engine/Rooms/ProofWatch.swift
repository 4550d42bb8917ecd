import Bluetooth
import Model

/// Decides from advertisements whether a device kept its settings after the save. Pure: one advertisement at
/// a time.
struct ProofWatch: Sendable {
  /// What the advertisements so far show.
  enum Verdict: Hashable, Sendable {
    case proved(Evidence)
    /// The device waits to be provisioned, as before.
    case backAgain
    /// The device tried to join its network, and waits again.
    case gaveUp
    /// The device is configured, and nothing shows that the command of the attempt did that.
    case unexplained
    /// The device advertises another identity.
    case other(DeviceIdentity)
    /// Its address sent both the written identity and another one.
    case contradicted(Contradiction)
    /// Only other addresses sent the identity of the device, which proves nothing.
    case receivedElsewhere
    /// No advertisement counts.
    case silent
  }

  /// The time from a sighting in provisioning mode to the result `backAgain`, unless the proof arrives first:
  /// a sensor that is about to restart may still advertise for a moment. Stacks do not repeat an unchanged
  /// advertisement, so there may be only one sighting.
  static let settling = Duration.seconds(12)

  /// Nil for a family without one.
  private let identity: DeviceIdentity?
  private let family: Shared<DeviceFamily>
  let address: BluetoothAddress
  /// Whether a beacon from another address may be the device's: its firmware changes its address, and it did
  /// not refuse the settings.
  private let mayMove: Bool
  private let submittedAt: MonotonicInstant
  /// An address that was received before this instant, in whatever state, is another device: its beacons
  /// prove nothing.
  private let began: MonotonicInstant
  /// The addresses of the devices of other rooms: their beacons prove nothing either.
  private let known: Set<BluetoothAddress>

  /// Without an identity: whether the device has the whole command, and whether it showed that it carries it out.
  private(set) var (isAccepted, isUnderWay): (Bool, Bool)
  private var isUnexplained = false
  private var own: Evidence?
  private var ownAdapter: AdapterID?
  /// The beacons with the identity from other addresses.
  private var others: [BluetoothAddress: Other] = [:]
  private var other: DeviceIdentity?
  private var otherAdapter: AdapterID?
  private var waitingSince: MonotonicInstant?

  private struct Other: Hashable, Sendable {
    var evidence: Evidence
    var adapter: AdapterID
    /// Whether its address was received before the watch began.
    var isFamiliar: Bool
  }

  init(
    identity: DeviceIdentity?, family: Shared<DeviceFamily>, address: BluetoothAddress, mayMove: Bool,
    isAccepted: Bool, isUnderWay: Bool,
    submittedAt: MonotonicInstant, began: MonotonicInstant? = nil, known: Set<BluetoothAddress> = []
  ) {
    (self.isAccepted, self.isUnderWay) = (isAccepted || isUnderWay, isUnderWay)
    self.identity = identity
    self.family = family
    self.address = address
    self.mayMove = mayMove
    self.submittedAt = submittedAt
    self.began = began ?? submittedAt
    self.known = known
  }

  /// Applies an advertisement.
  /// - Parameters:
  ///   - sent: the identity in it; nil without one.
  ///   - firstReceived: when its sender was first received; nil for the first time now.
  mutating func receive(
    _ advertisement: Advertisement, with sent: DeviceIdentity?, firstReceived: MonotonicInstant? = nil
  ) {
    guard advertisement.receivedAt > submittedAt else { return }
    let isOwn = advertisement.address == address
    if let sent {
      // This includes the factory identity of a device that waits to be provisioned.
      receive(sent, advertisement, firstReceived ?? advertisement.receivedAt)
    } else if isOwn {
      switch family.value.recognise(advertisement) {
      case .locked? where identity == nil, .awaitingProvisioning?:
        waitingSince = waitingSince ?? advertisement.receivedAt
      case .joining?: (isAccepted, isUnderWay) = (true, true)
      case .configured(nil)? where identity == nil && !isAccepted: isUnexplained = true
      case .configured(nil)? where identity == nil && own == nil:
        own = Evidence(
          grade: .deviceStatus, address: address, rssi: advertisement.rssi,
          secondsAfterSave: submittedAt.duration(to: advertisement.receivedAt).inSeconds)
        ownAdapter = advertisement.adapter
      case .configured?, .locked?, .present?, nil: break
      }
    }
  }

  private mutating func receive(
    _ sent: DeviceIdentity, _ advertisement: Advertisement, _ firstReceived: MonotonicInstant
  ) {
    if sent == identity {
      let isOwn = advertisement.address == address
      let evidence = Evidence(
        grade: isOwn ? .freshBeacon : .freshBeaconOtherAddress, address: advertisement.address,
        identity: sent, rssi: advertisement.rssi,
        secondsAfterSave: submittedAt.duration(to: advertisement.receivedAt).inSeconds)
      if isOwn {
        if own == nil { (own, ownAdapter) = (evidence, advertisement.adapter) }
      } else if others[advertisement.address] == nil {
        others[advertisement.address] = Other(
          evidence: evidence, adapter: advertisement.adapter, isFamiliar: firstReceived <= began)
      }
    } else if advertisement.address == address {
      (other, otherAdapter) = (sent, advertisement.adapter)
    }
  }

  /// The other addresses that sent the identity, in order; nil when there are none.
  var otherSenders: OtherSenders? {
    guard let identity, !others.isEmpty else { return nil }
    let addresses = others.keys.sorted()
    let candidates = addresses.compactMap { address -> ReceivedCandidate? in
      guard let other = others[address], let rssi = other.evidence.rssi else { return nil }
      return ReceivedCandidate(address: address, adapter: other.adapter, rssi: rssi)
    }
    return OtherSenders(identity: identity, addresses: addresses, candidates: candidates)
  }

  /// The written identity and another one from the device's address. A device that is rewritten at work may
  /// still be received with its earlier identity.
  private var contradiction: Contradiction? {
    guard !family.value.lifecycle.isRewritable, let ownAdapter, let other, let otherAdapter else {
      return nil
    }
    return Contradiction(
      address, StateSighting(adapter: otherAdapter, identity: other),
      StateSighting(adapter: ownAdapter, identity: identity))
  }

  /// Whether the device itself showed the result. No later advertisement changes that: a device without an identity
  /// waits again only once it has given up.
  var isDecided: Bool { own != nil || identity == nil && (waitingSince != nil || isUnexplained) }

  /// When the advertisements so far decide; nil while only the timeout of the stage bounds the wait.
  var settlesAt: MonotonicInstant? { waitingSince?.advanced(by: Self.settling) }

  /// The result of the advertisements so far. A beacon from another address counts only if the device may
  /// change its address, that address was not received before and is no other room's, no second address sends
  /// the identity, and the device's own address sends no other beacon.
  /// - Parameter isOver: whether the time of the device is over. Before that only its own beacon decides: a
  ///   device that was received in provisioning mode may be about to restart, and a second address may still
  ///   appear.
  func verdict(isOver: Bool = true) -> Verdict {
    if let contradiction { return .contradicted(contradiction) }
    if let own { return .proved(own) }
    if isUnexplained { return .unexplained }
    if isUnderWay, waitingSince != nil { return .gaveUp }
    if let other { return .other(other) }
    if isOver {
      if waitingSince != nil { return .backAgain }
      if mayMove, others.count == 1, let (address, other) = others.first, !other.isFamiliar,
        !known.contains(address)
      {
        return .proved(other.evidence)
      }
    }
    return others.isEmpty ? .silent : .receivedElsewhere
  }
}
