import Bluetooth
import Families
import Model

/// Why a room is not done, and what to do next: for an installer on a ladder.
///
/// This and its extensions are the one place where codes become sentences.
public struct Explanation: Hashable, Sendable {
  /// What happened, as one sentence.
  public var sentence: String
  /// What to do next.
  public var advice: String

  init(_ sentence: String, _ advice: String) {
    self.sentence = sentence
    self.advice = advice
  }

  /// What there is to say about a room; nil when it is done and nothing needs saying.
  public init?(of room: RoomReport) { self.init(Scene(room), room) }

  /// The same without the device's address: what rooms may have in common.
  init?(general room: RoomReport) {
    var scene = Scene(room)
    scene.address = nil
    self.init(scene, room)
  }

  private init?(_ scene: Scene, _ room: RoomReport) {
    guard !room.outcome.isSuccess else { return nil }
    guard let reason = room.reason else {
      self = scene.explain(room.outcome)
      return
    }
    self = scene.explain(reason)
    // Whatever the reason, the device may have changed: looking comes before doing.
    if room.outcome == .unconfirmed, !reason.code.isKnownState, !reason.isOfHost {
      advice = scene.adviceWhenUnconfirmed
    }
  }
}

extension Explanation {
  /// Why a plan does nothing for a room; nil when it does something, or nothing needs saying.
  init?(of step: PlannedStep, _ room: Room?) {
    let scene = Scene(step, room)
    switch step.action {
    case .provision, .done, .await: return nil
    case .exclude: self = scene.explain(.skipped)
    case .stop:
      guard let reason = step.reason else { return nil }
      self = scene.explain(reason)
    }
  }
}

extension FailureReason.Code {
  /// Whether the device was heard after the save, so that its state is known.
  fileprivate var isKnownState: Bool {
    switch self {
    case .saveNotKept, .wrongIdentity, .heardFromOtherAddress, .configuredOtherwise, .minorOnAir,
      .settingsChanged, .foreignSettings, .networkNotReceived,
      .readBackMismatch:
      true
    case .neverHeard, .adapterDeaf, .unknownToStack, .connectTimedOut, .connectFailed, .linkLost,
      .stageTimedOut, .serviceMissing, .serviceAmbiguous,
      .attributeRejected, .refused, .notHeardAfterSave, .noSelfDisconnect, .tooManyCandidates, .noCandidate,
      .addressNeeded, .addressMissing, .notClearlyNearest, .notNear, .heardTooBriefly, .adapterMissing,
      .adapterShared,
      .notConfirmed,
      .tooManyFailures, .canariesFailed, .canariesRefused, .adapterLost, .stackLost, .outOfSlots,
      .interrupted, .recordUnwritable, .stackError,
      .minorOnRecord,
      .planOutdated, .adapterClaimed, .hostPaused:
      false
    }
  }
}

/// The circumstances a sentence may need: whom it is about, and how well it was heard.
struct Scene {
  let device: DeviceWords
  var address: BluetoothAddress?
  let minor: UInt16?
  let rssi: Int?
  let hasWiFi: Bool
  let isTried: Bool
  let isProved: Bool
  let mayHaveKept: Bool
  let isRegistered: Bool
  /// The settings that the manifest gives it.
  let told: [SettingName]
  /// Whether its family tells on air what it holds.
  let hasBeacon: Bool
  /// What its device did acknowledge, at least.
  let grade: Evidence.Grade?
  let exclusion: Exclusion?

  init(_ room: RoomReport) {
    device = DeviceWords(room.planned.profile)
    address = room.address
    minor = room.minor
    rssi = room.rssi
    hasWiFi = room.settings.contains { $0.name == .wifiSSID }
    isTried = room.attempts > 0
    isProved = room.evidence?.grade.isProof ?? false
    mayHaveKept = room.outcome == .unconfirmed
    isRegistered = room.isRegistered
    told = room.settings.map(\.name)
    hasBeacon = DeviceProfiles[room.planned.profile]?.hasIdentity ?? true
    grade = room.evidence?.grade
    exclusion = room.planned.exclusion
  }

  init(_ step: PlannedStep, _ room: Room?) {
    device = DeviceWords(room?.profile ?? "")
    address = step.address ?? room?.address
    minor = room?.minor
    rssi = step.rssi
    hasWiFi = room?.settings[.wifiSSID] != nil
    isTried = false
    isProved = false
    mayHaveKept = false
    isRegistered = step.registered == true
    told = room.map { $0.settings.keys.sorted() } ?? []
    hasBeacon = room.flatMap { DeviceProfiles[$0.profile] }?.hasIdentity ?? true
    grade = nil
    exclusion = step.exclusion
  }

  /// `The sensor C4:7C:8D:00:00:01`, or `The sensor` when nobody knows which.
  var subject: String {
    "The \(device.noun)" + (address.map { " \($0)" } ?? "")
  }

  /// Below this, in dBm, connecting is unreliable (PROTOCOLS §1).
  static let unreliable = RoomVerified.weakBelow

  /// What to do about a link that does not hold.
  var closer: String {
    let near = "Bring the adapter within 3 m of the \(device.noun), with nothing metal between them"
    guard let rssi, rssi < Self.unreliable else { return near + "." }
    return near
      + ": it was last heard at \(rssi) dBm, and below \(Self.unreliable) dBm connecting is unreliable."
  }

  let again = "Then run the same command again."

  /// To make it wait for provisioning, where it does not always, and to go on.
  var waitAndRun: String {
    (device.makeItWait.map { "\($0), and run" } ?? "run") + " the same command again"
  }

  /// What helps with a device that hangs.
  var restart: String { "switch it off and on" + (device.makeItWait.map { ", and \($0)" } ?? "") }

  /// After a save whose effect nobody has seen.
  var adviceWhenUnconfirmed: String {
    if !hasBeacon {
      return "Run the same command again within 3 m of the \(device.noun): it writes the settings once more."
    }
    return """
      Run the same command again within 3 m of the \(device.noun): it listens first, and takes the room as done \
      when its beacon is heard. \(device.stillWaiting), the settings were not kept, and the new run writes them.
      """
  }

  /// What to say of an outcome that came without a reason.
  func explain(_ outcome: Outcome) -> Explanation {
    switch outcome {
    case .provisioned, .provisionedAfterRetry, .alreadyProvisioned:
      Explanation("The room is done.", "Nothing is left to do.")
    case .needsHands:
      Explanation(
        "\(subject) cannot be reached until somebody sees to it.",
        "Check its power. Then \(waitAndRun).")
    case .unconfirmed:
      Explanation(
        "The settings were written, and nothing proved yet that they were kept.", adviceWhenUnconfirmed)
    case .failed:
      Explanation("\(subject) was tried without success.", "\(closer) \(again)")
    case .unreachable:
      Explanation("\(subject) was never reached.", "\(closer) Check its power. \(again)")
    case .ambiguous:
      Explanation(
        "Several \(device.noun)s could be meant for this room.",
        "Write the address from the label of the right one into the manifest. \(again)")
    case .pending:
      Explanation(
        "This room's turn did not come in this run.", "Run the same command again: it does what is left.")
    case .skipped:
      skipped()
    case .cancelled:
      Explanation(
        "The run ended before this room was done.", "Run the same command again: it does what is left.")
    }
  }

  private func skipped() -> Explanation {
    let why = exclusion?.reason.map { ": " + $0.visible } ?? ""
    switch exclusion?.cause {
    case .accepted?:
      let who = exclusion?.by.map { " by \($0.visible)" } ?? ""
      return Explanation(
        "This room was accepted as it is\(who)\(why).", "To have it done all the same, name it with --force.")
    case .retired?:
      return Explanation(
        "This room was taken out of service\(why).",
        "Take it out of the manifest; or name it with --force to put it back into service.")
    case .deselected?, nil:
      return Explanation("This room was not selected.", "Select it, or run the command for all rooms.")
    }
  }
}
