import Families
import Model
import Source

/// What holds for rooms that do not say otherwise, as one place of the manifest has it: the top, a floor or a group.
struct RoomDefaults {
  /// The device family.
  var profile: ChosenProfile?
  var wifi: WiFiChoice?
  var retries: Int?
  var proof: ProofAddress?
  var timeouts: [Stage: WrittenTimeout] = [:]
  /// Settings that rooms have in common, where their profile takes them.
  var settings: [String: SharedSetting] = [:]
  /// What the firmware of their devices sends.
  var beacon = ExpectedBeacon()
  /// Where `wifi` is, when it names a network.
  var wifiKey: SourceRange?
  var checksWiFi: Bool?
  /// Where `wifi_check` is.
  var wifiCheckKey: SourceRange?
  /// Where `proof` is.
  var proofKey: SourceRange?

  /// These defaults, and of others those that these do not have.
  func over(_ outer: RoomDefaults) -> RoomDefaults {
    var result = self
    result.profile = profile ?? outer.profile
    result.wifi = wifi ?? outer.wifi
    result.retries = retries ?? outer.retries
    result.proof = proof ?? outer.proof
    result.checksWiFi = checksWiFi ?? outer.checksWiFi
    result.timeouts.merge(outer.timeouts) { own, _ in own }
    result.settings.merge(outer.settings) { own, _ in own }
    result.beacon.settings.merge(outer.beacon.settings) { own, _ in own }
    return result
  }
}

/// A device family that was chosen by name; nil where there is none of that name, which has been reported.
struct ChosenProfile {
  var family: (any DeviceFamily)?
}

/// A place of the manifest that rooms share: the top, a floor, a group.
struct RoomScope {
  /// The scope around it; nil of the top.
  var outer: Int?
  /// What is said here.
  var own: RoomDefaults
  /// What holds here: what is said here and around it.
  var defaults: RoomDefaults
  /// The floor, where one is named here or around it.
  var floor: String?
  /// Tags of its rooms, those of the scopes around it first.
  var tags: [String] = []
  /// The kinds of rooms in it.
  private(set) var kinds: [RoomKind] = []

  /// Takes note that a room of this kind is in it.
  /// - Returns: Whether it is the first of its kind.
  mutating func add(_ kind: RoomKind) -> Bool {
    guard
      !kinds.contains(where: { $0.profile?.id == kind.profile?.id && $0.isRegistered == kind.isRegistered })
    else { return false }
    kinds.append(kind)
    return true
  }
}
