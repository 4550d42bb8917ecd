public import Bluetooth

/// One device family: how to recognise it, which settings it takes, the conversation that applies them, and
/// what proves it. Adding a family is one file with one of these, and a line in `DeviceProfiles.all`
/// (docs/profiles.md).
public protocol DeviceProfile: Sendable {
  /// Its machine name.
  var id: ProfileID { get }
  /// Its name for people.
  var title: String { get }
  /// How people call one and deal with it.
  var words: DeviceWords { get }
  /// The service through which it is configured.
  var service: BluetoothUUID { get }
  /// Whether devices of other makes offer that service as well: then it alone tells nothing.
  var isServiceShared: Bool { get }
  /// Whether a configured device can be written again without anybody touching it. Where it tells
  /// what it holds, its conversation reads first, and leaves alone what is not the room's (`DeviceSession.mayWrite`).
  var isRewritable: Bool { get }
  /// Whether its conversation hears the device itself (`DeviceSession.search`), as a session that has little time
  /// in all must. Others are dialled only when they were heard a short while ago.
  var searchesItself: Bool { get }
  /// Whether it learns how long ago an action was, which a person may mark (`ApplyEnvironment.action`).
  var learnsActionTime: Bool { get }
  /// The settings it takes, in the order in which people want to see them.
  var settings: [SettingDescription] { get }
  /// The stages that an attempt at it has.
  var stages: [Stage] { get }

  /// How long each stage may take with these settings, unless the manifest says otherwise.
  func timeouts(for settings: [SettingName: SettingValue]) -> StageTimeouts

  /// Within which time a device of this family answers a call, if it answers at all: a first call is not given longer,
  /// for it holds up others. Nil where nobody can say.
  var answersWithin: Duration? { get }

  /// What this advertisement says about a device of this family; nil when it is none, or cannot be told.
  func recognise(_ advertisement: Advertisement) -> Recognition?

  /// What a device with these settings gives as proof that they are applied.
  func proof(of settings: [SettingName: SettingValue]) -> Proof

  /// The conversation: connects, writes, asks the device to keep it. Returns when there is nothing left to
  /// say, whether or not the device acknowledged the last word; what it returns still needs its proof.
  /// - Throws: `AttemptFailure` for whatever went wrong *before* the device could have kept anything, for a refusal
  ///   in the device's own words, and where the device can be written again: then the next attempt begins by
  ///   reading what this one left.
  func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission
}

extension DeviceProfile {
  /// No.
  public var isServiceShared: Bool { false }
  /// No: somebody must make it wait again.
  public var isRewritable: Bool { false }
  /// Nobody can say.
  public var answersWithin: Duration? { nil }
  /// No.
  public var searchesItself: Bool { false }
  /// No.
  public var learnsActionTime: Bool { false }

  /// Whether its devices tell on air who they are: only those can be registered without being written.
  public var hasIdentity: Bool { settings.contains(where: \.isOnAir) }
}

/// What an advertisement says about a device of a family.
public enum Recognition: Hashable, Sendable {
  /// It waits to be provisioned.
  case awaitingProvisioning
  /// It is at work, with this identity.
  case configured(IBeacon)
  /// It is there, and does not tell on air what it holds.
  case present
}

/// What proves a device.
public enum Proof: Hashable, Sendable {
  /// An iBeacon with this identity, from the address that was written.
  case beacon(BeaconIdentity)
  /// That the device itself ends the link after the write: nothing on air tells.
  case selfDisconnect
}

/// The end of a conversation: the last word has been submitted.
public struct Submission: Hashable, Sendable {
  /// When it was submitted; proof counts only if first heard after this.
  public var at: MonotonicInstant
  /// How the device itself acknowledged it; nil when it did not.
  public var acknowledgement: Evidence.Grade?
  /// Whether nothing had to be written: the device held it all.
  public var isUnchanged: Bool
  /// What came instead of an acknowledgement: no failure yet, but the reason should the proof not be heard.
  public var trouble: FailureReason?

  /// A submission.
  public init(
    at: MonotonicInstant, acknowledgement: Evidence.Grade?, isUnchanged: Bool = false,
    trouble: FailureReason? = nil
  ) {
    self.at = at
    self.acknowledgement = acknowledgement
    self.isUnchanged = isUnchanged
    self.trouble = trouble
  }
}
