import Model
import Source

/// The defaults of one scope: of the whole manifest, a floor or a group.
struct RoomDefaults {
  var profile: ChosenProfile?
  var wifi: WiFiChoice?
  var retries: Int?
  var proof: ProofAddress?
  var timeouts: [Stage: WrittenTimeout] = [:]
  /// Settings for the rooms whose profile has them.
  var settings: [String: SharedSetting] = [:]
  var beacon = ExpectedBeacon()
  /// The place of `wifi`, when it names a network.
  var wifiKey: SourceRange?
  var checksWiFi: Bool?
  var wifiCheckKey: SourceRange?
  var proofKey: SourceRange?

  /// These defaults, and those of `outer` that are missing here.
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

/// A device family that the manifest names; nil for an unknown name, which has been reported.
struct ChosenProfile {
  var family: Shared<DeviceFamily>?
}

/// A part of the manifest with defaults for its rooms: the whole manifest, a floor or a group.
struct RoomScope {
  /// The index of the enclosing scope; nil for the outermost.
  var outer: Int?
  /// The defaults that the scope itself sets.
  var own: RoomDefaults
  /// The defaults in effect: its own, else those of the enclosing scopes.
  var defaults: RoomDefaults
  /// The floor of this scope, or of the nearest enclosing one.
  var floor: String?
  /// The group that this scope is; nil for another scope.
  var group: String?
  /// The tags of its rooms; those of enclosing scopes come first.
  var tags: [String] = []
  private(set) var kinds: [RoomKind] = []

  /// Records the kind of a room in this scope.
  /// - Returns: Whether the kind is new.
  mutating func add(_ kind: RoomKind) -> Bool {
    guard
      !kinds.contains(where: {
        $0.profile?.value.id == kind.profile?.value.id && $0.isRegistered == kind.isRegistered
      })
    else { return false }
    kinds.append(kind)
    return true
  }
}
