import Bluetooth
import Model

/// Judges what is heard after a device was asked to keep its settings: pure, one advertisement at a time.
struct ProofWatch: Sendable {
  /// What can be said.
  enum Verdict: Hashable, Sendable {
    case proved(Evidence)
    /// It waits to be provisioned, as before.
    case backAgain
    /// It came back as another beacon.
    case other(BeaconIdentity)
    /// It was not heard, and its identity was: from other addresses, which proves nothing.
    case heardElsewhere
    /// Nothing was heard that counts.
    case silent
  }

  /// How long after a device was heard waiting again that is its answer, unless its proof comes meanwhile: a
  /// sensor that is about to restart may be heard for a moment. Stacks do not repeat an unchanged
  /// advertisement, so one hearing is all there may be.
  static let settling = Duration.seconds(12)

  private let proof: Proof
  private let profile: any DeviceFamily
  let address: BluetoothAddress
  /// Whether a beacon from another address may be the device's: its firmware changes its address, and it did not
  /// refuse what was written.
  private let mayMove: Bool
  private let submittedAt: MonotonicInstant
  /// An address that was heard before then, whatever as, is another device: its beacons prove nothing.
  private let began: MonotonicInstant
  /// The addresses of other rooms' devices: their beacons prove nothing either.
  private let known: Set<BluetoothAddress>

  private var own: Evidence?
  /// What was heard with the identity from other addresses.
  private var others: [BluetoothAddress: Other] = [:]
  private var other: BeaconIdentity?
  private var waitingSince: MonotonicInstant?

  private struct Other: Hashable, Sendable {
    var evidence: Evidence
    var adapter: AdapterID
    /// Whether its address was heard before the watch began.
    var isFamiliar: Bool
  }

  init(
    proof: Proof, profile: any DeviceFamily, address: BluetoothAddress, mayMove: Bool = false,
    submittedAt: MonotonicInstant, began: MonotonicInstant? = nil, known: Set<BluetoothAddress> = []
  ) {
    self.proof = proof
    self.profile = profile
    self.address = address
    self.mayMove = mayMove
    self.submittedAt = submittedAt
    self.began = began ?? submittedAt
    self.known = known
  }

  /// Takes in what was heard.
  /// - Parameter firstHeard: when its sender was first heard; nil when that is only now.
  mutating func hear(_ advertisement: Advertisement, firstHeard: MonotonicInstant? = nil) {
    guard advertisement.receivedAt > submittedAt else { return }
    let isOwn = advertisement.address == address
    if let beacon = advertisement.iBeacon {
      // Also the factory's, where one that waits has one.
      hear(beacon, advertisement, firstHeard ?? advertisement.receivedAt)
    } else if isOwn, profile.recognise(advertisement) == .awaitingProvisioning {
      waitingSince = waitingSince ?? advertisement.receivedAt
    }
  }

  private mutating func hear(
    _ beacon: IBeacon, _ advertisement: Advertisement, _ firstHeard: MonotonicInstant
  ) {
    if proof.isMet(by: beacon) {
      let isOwn = advertisement.address == address
      let evidence = Evidence(
        grade: isOwn ? .freshBeacon : .freshBeaconOtherAddress, address: advertisement.address,
        minor: beacon.minor, rssi: advertisement.rssi,
        secondsAfterSave: submittedAt.duration(to: advertisement.receivedAt).inSeconds)
      if isOwn {
        own = own ?? evidence
      } else if others[advertisement.address] == nil {
        others[advertisement.address] = Other(
          evidence: evidence, adapter: advertisement.adapter, isFamiliar: firstHeard <= began)
      }
    } else if advertisement.address == address {
      other = beacon.identity
    }
  }

  /// The other devices from which the identity was heard, in order of their addresses; nil when there are none.
  var otherSenders: OtherSenders? {
    guard let minor = proof.minor, !others.isEmpty else { return nil }
    let addresses = others.keys.sorted()
    let candidates = addresses.compactMap { address -> HeardCandidate? in
      guard let other = others[address], let rssi = other.evidence.rssi else { return nil }
      return HeardCandidate(address: address, adapter: other.adapter, rssi: rssi)
    }
    return OtherSenders(minor: minor, addresses: addresses, candidates: candidates)
  }

  /// Whether the verdict is in: nothing that may still come would change it.
  var isProved: Bool { own != nil }

  /// When the verdict is in, by what was heard so far; nil while only the stage's timeout bounds it.
  var settlesAt: MonotonicInstant? { waitingSince?.advanced(by: Self.settling) }

  /// The verdict by what was heard. A beacon from another address counts only when the device may change its address,
  /// that address was silent before and is no other room's, no second address has the identity, and the device's own
  /// address says nothing else.
  /// - Parameter isOver: whether the device had all its time. Before that only its own beacon decides: a device that
  ///   was heard waiting once may be about to restart, and a second address may yet be heard.
  func verdict(isOver: Bool = true) -> Verdict {
    if let own { return .proved(own) }
    if let other { return .other(other) }
    if isOver {
      if waitingSince != nil { return .backAgain }
      if mayMove, others.count == 1, let (address, other) = others.first, !other.isFamiliar,
        !known.contains(address)
      {
        return .proved(other.evidence)
      }
    }
    return others.isEmpty ? .silent : .heardElsewhere
  }
}
