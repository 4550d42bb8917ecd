import Bluetooth

/// Judges what is heard after a device was asked to keep its settings: pure, one advertisement at a time.
struct ProofWatch: Sendable {
  /// What can be said.
  enum Verdict: Hashable, Sendable {
    case proved(Evidence)
    /// It waits to be provisioned, as before.
    case backAgain
    /// It came back as another beacon.
    case other(minor: UInt16)
    /// Nothing was heard that counts.
    case silent
  }

  /// How long after a device was heard waiting again that is its answer, unless its proof comes meanwhile: a
  /// sensor that is about to restart may be heard for a moment. Stacks do not repeat an unchanged
  /// advertisement, so one hearing is all there may be.
  static let settling = Duration.seconds(12)

  private let proof: Proof
  private let profile: any DeviceProfile
  let address: BluetoothAddress
  private let submittedAt: MonotonicInstant
  /// Whoever was heard before then, whatever as, is somebody else: beacons of theirs prove nothing.
  private let began: MonotonicInstant
  /// Nor do those of whoever belongs to another room.
  private let known: Set<BluetoothAddress>

  private var own: Evidence?
  private var strangers: [BluetoothAddress: Evidence] = [:]
  /// Those of them who were heard before.
  private var familiar: Set<BluetoothAddress> = []
  private var otherMinor: UInt16?
  private var waitingSince: MonotonicInstant?

  init(
    proof: Proof, profile: any DeviceProfile, address: BluetoothAddress, submittedAt: MonotonicInstant,
    began: MonotonicInstant? = nil, known: Set<BluetoothAddress>
  ) {
    self.proof = proof
    self.profile = profile
    self.address = address
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
      } else if strangers[advertisement.address] == nil {
        strangers[advertisement.address] = evidence
        if firstHeard <= began { familiar.insert(advertisement.address) }
      }
    } else if advertisement.address == address {
      otherMinor = beacon.minor
    }
  }

  /// Whether the verdict is in: nothing that may still come would change it.
  var isProved: Bool { own != nil }

  /// When the verdict is in, by what was heard so far; nil while only the stage's timeout bounds it.
  var settlesAt: MonotonicInstant? { waitingSince?.advanced(by: Self.settling) }

  /// What is to be said when the time is up. A beacon from another address counts only when that address was
  /// silent before, no second one says the same, and the device's own address says nothing else.
  var verdict: Verdict {
    if let own { return .proved(own) }
    if let otherMinor { return .other(minor: otherMinor) }
    if waitingSince != nil { return .backAgain }
    if strangers.count == 1, let evidence = strangers.first?.value, familiar.isEmpty,
      !known.contains(evidence.address)
    {
      return .proved(evidence)
    }
    return .silent
  }
}
