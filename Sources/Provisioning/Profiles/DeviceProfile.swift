public import Bluetooth

/// One device family: how to recognise it, which settings it takes, the conversation that applies them, and
/// what proves it. Adding a family is one file with one of these, and a line in `DeviceProfiles.all`.
public protocol DeviceProfile: Sendable {
  /// Its machine name.
  var id: ProfileID { get }
  /// Its name for people.
  var title: String { get }
  /// The service through which it is configured: who has it, is one of this family.
  var service: BluetoothUUID { get }
  /// Whether a configured device can be written again without anybody touching it.
  var isRewritable: Bool { get }
  /// The settings it takes, in the order in which they are written.
  var settings: [SettingDescription] { get }
  /// How long each stage may take unless the manifest says otherwise.
  var timeouts: StageTimeouts { get }

  /// What this advertisement says about a device of this family; nil when it is none, or cannot be told.
  func recognise(_ advertisement: Advertisement) -> Recognition?

  /// What is to be heard on air from a device with these settings before they count as applied.
  func proof(of settings: [SettingName: SettingValue]) -> Proof

  /// The conversation: connects, writes, asks the device to keep it. Returns when there is nothing left to
  /// say, whether or not the device acknowledged the last word; what it returns still needs its proof.
  /// - Throws: `AttemptFailure` for whatever went wrong *before* the device could have kept anything, and
  ///   for a refusal in the device's own words.
  func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission
}

/// What an advertisement says about a device of a family.
public enum Recognition: Hashable, Sendable {
  /// It waits to be provisioned.
  case awaitingProvisioning
  /// It is at work, with this identity.
  case configured(IBeacon)
}

/// What proves a device.
public enum Proof: Hashable, Sendable {
  /// An iBeacon with this identity (measured power aside), from the address that was written.
  case beacon(uuid: BluetoothUUID, major: UInt16, minor: UInt16)
}

/// The end of a conversation: the last word has been submitted.
public struct Submission: Hashable, Sendable {
  /// When it was submitted; proof counts only if first heard after this.
  public var at: MonotonicInstant
  /// Whether the device itself acknowledged it.
  public var isAcknowledged: Bool
  /// What came instead of an acknowledgement: no failure yet, but the reason should the proof not be heard.
  public var trouble: FailureReason?

  /// A submission.
  public init(at: MonotonicInstant, isAcknowledged: Bool, trouble: FailureReason? = nil) {
    self.at = at
    self.isAcknowledged = isAcknowledged
    self.trouble = trouble
  }
}

/// The families this build knows.
public enum DeviceProfiles {
  /// All of them; the first is the default.
  public static let all: [any DeviceProfile] = [RoboSensor()]

  /// The family with this name, or nil.
  public static subscript(id: ProfileID) -> (any DeviceProfile)? {
    all.first { $0.id == id }
  }
}
