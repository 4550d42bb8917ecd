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

  /// How long a device must be heard waiting again before that is its answer; a sensor that is about to
  /// reboot may be heard for a moment.
  static let settling = Duration.seconds(5)

  private let proof: Proof
  private let profile: any DeviceProfile
  private let address: BluetoothAddress
  private let submittedAt: MonotonicInstant
  /// Who was heard with the wanted identity before the submission: their beacons prove nothing.
  private let before: Set<BluetoothAddress>

  private var own: Evidence?
  private var strangers: [BluetoothAddress: Evidence] = [:]
  private var otherMinor: UInt16?
  private var waitingSince: MonotonicInstant?
  private var waitingUntil: MonotonicInstant?

  init(
    proof: Proof, profile: any DeviceProfile, address: BluetoothAddress, submittedAt: MonotonicInstant,
    before: Set<BluetoothAddress>
  ) {
    self.proof = proof
    self.profile = profile
    self.address = address
    self.submittedAt = submittedAt
    self.before = before
  }

  /// Takes in what was heard; true when the verdict is in before the time is up.
  mutating func hear(_ advertisement: Advertisement) -> Bool {
    guard advertisement.receivedAt > submittedAt else { return false }
    switch profile.recognise(advertisement) {
    case .configured(let beacon):
      hear(beacon, advertisement)
    case .awaitingProvisioning where advertisement.address == address:
      waitingSince = waitingSince ?? advertisement.receivedAt
      waitingUntil = advertisement.receivedAt
    case .awaitingProvisioning, nil:
      break
    }
    return own != nil || isBackAgain
  }

  private mutating func hear(_ beacon: IBeacon, _ advertisement: Advertisement) {
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
      }
    } else if advertisement.address == address {
      otherMinor = beacon.minor
    }
  }

  private var isBackAgain: Bool {
    guard let waitingSince, let waitingUntil else { return false }
    return waitingSince.duration(to: waitingUntil) >= Self.settling
  }

  /// What is to be said when the time is up. A beacon from another address counts only when that identity was
  /// silent before, is heard from one address, and the device's own address says nothing else.
  var verdict: Verdict {
    if let own { return .proved(own) }
    if let otherMinor { return .other(minor: otherMinor) }
    if waitingSince != nil { return .backAgain }
    if before.isEmpty, strangers.count == 1, let evidence = strangers.first?.value {
      return .proved(evidence)
    }
    return .silent
  }
}
