import Bluetooth
import Model

/// The state of a room and the next action, for the person on site.
///
/// Codes become sentences here and in the extensions of `SentenceContext`, and nowhere else.
package struct Explanation: Hashable, Sendable {
  /// The state, in one sentence.
  package var sentence: String
  /// The next action.
  package var advice: String

  init(_ sentence: String, _ advice: String) {
    (self.sentence, self.advice) = (sentence, advice)
  }

  /// The explanation of a room that is not done; nil when it is done.
  /// - Parameter retry: What starts the room again, as an imperative: "press r". By default the command of the run.
  package init?(of room: RoomReport, retry: String? = nil) {
    var context = SentenceContext(room)
    if let retry { context.retry = retry }
    self.init(context, room)
  }

  /// The same without the room and its device's address, so that rooms can share it.
  init?(general room: RoomReport) {
    var context = SentenceContext(room)
    context.address = nil
    context.room = nil
    self.init(context, room)
  }

  private init?(_ context: SentenceContext, _ room: RoomReport) {
    guard !room.outcome.isSuccess else { return nil }
    guard let reason = room.reason else {
      self = context.explain(room.outcome)
      return
    }
    self = context.explain(reason)
    switch reason.trait {
    case .knownState, .endsInProvisioningMode, .ofHost: break
    // The device may have changed, whatever the reason: scan before writing again.
    case .refusal, .mayBeHostLoss, .mayGetADevice, nil:
      if room.outcome == .unconfirmed { advice = context.adviceWhenUnconfirmed }
    }
  }
}

extension Explanation {
  /// Why a plan does nothing for a room; nil when it does something, or when there is nothing to explain.
  init?(of step: PlannedStep, _ room: Room?) {
    let context = SentenceContext(step, room)
    switch step.action {
    case .provision, .done, .await: return nil
    case .exclude: self = context.explain(.skipped)
    case .stop:
      guard let reason = step.reason else { return nil }
      self = context.explain(reason)
    }
  }
}

extension String {
  /// An advice for a person without the command line of the run, who can only ask for a command.
  var withoutCommandLine: String {
    let requests = [
      (SentenceContext.sameCommand, "ask for another run"),
      ("run the same command with", "ask for a run with"), ("run `", "ask for `"),
    ]
    return requests.reduce(self) { text, request in
      text.replacing(request.0, with: request.1)
        .replacing(request.0.uppercasedFirst, with: request.1.uppercasedFirst)
    }
  }
}

/// The data for a sentence: the room, its device, and the reception of the device.
struct SentenceContext {
  let device: DeviceWords
  var address: BluetoothAddress?
  let titles: SettingTitles
  /// The room; nil in explanations that several rooms share.
  var room: RoomID?
  let identity: DeviceIdentity?
  /// The computer of the room's last adapter; nil for this one.
  private(set) var host: HostName?
  let rssi: Int?
  let hasWiFi: Bool
  private(set) var isTried = false
  private(set) var isProved = false
  private(set) var mayHaveKept = false
  let isRegistered: Bool
  /// The settings that the manifest gives the device.
  let wanted: [SettingName]
  /// Whether devices of its family send their identity.
  let hasBeacon: Bool
  /// Whether the firmware of its family decides a part of that identity.
  let expectsBeacon: Bool
  /// Whether its label can have its credentials; a password that a person gave it is on no label.
  let hasCredentialsOnLabel: Bool
  /// The evidence so far.
  private(set) var grade: Evidence.Grade?
  let exclusion: Exclusion?
  /// How many attempts in a row, up to the last, failed in the same way in the same step.
  private(set) var equalFailures = 0
  /// What starts the room again, as an imperative within a sentence.
  var retry = Self.sameCommand

  /// A record does not have the options of its run. A command without them, such as `--reports`, would work on another record.
  static let sameCommand = "run the same command again"

  init(_ room: RoomReport) {
    device = room.family?.words ?? DeviceWords()
    titles = room.titles
    address = room.address
    self.room = room.id
    identity = room.identity
    host = room.adapter?.host
    rssi = room.rssi
    hasWiFi = room.settings.contains { $0.name == .wifiSSID }
    isTried = room.wasTried
    isProved = room.evidence?.grade.isProof ?? false
    mayHaveKept = room.outcome == .unconfirmed
    isRegistered = room.isRegistered
    wanted = room.settings.map(\.name)
    hasBeacon = room.family?.hasIdentity ?? true
    expectsBeacon = room.family?.expectedSettings.isEmpty == false
    hasCredentialsOnLabel = room.family?.hasCredentialsOnLabel ?? true
    grade = room.evidence?.grade
    exclusion = room.planned.exclusion
    equalFailures = room.equalFailures
  }

  init(_ step: PlannedStep, _ room: Room?) {
    let family = room.map { RecordedFamily($0.family) }
    device = family?.words ?? DeviceWords()
    titles = SettingTitles(family.map { [$0] } ?? [])
    address = step.address ?? room?.address
    self.room = step.room
    identity = room?.identity
    rssi = step.rssi
    hasWiFi = room?.settings[.wifiSSID] != nil
    isRegistered = step.registered == true
    wanted = room.map { $0.settings.keys.sorted() } ?? []
    hasBeacon = family?.hasIdentity ?? true
    expectsBeacon = family?.expectedSettings.isEmpty == false
    hasCredentialsOnLabel = family?.hasCredentialsOnLabel ?? true
    exclusion = step.exclusion
  }

  /// `The sensor C4:7C:8D:00:00:01`, or `The sensor` when its address is not known.
  var subject: String {
    "The \(device.noun)" + (address.map { " \($0)" } ?? "")
  }

  /// Below this RSSI, in dBm, connecting is unreliable (docs/internals/protocols.md, "Robo Sensor").
  static let unreliable = RoomVerified.weakBelow

  /// The RSSI, in dBm, from which the distance is no cause of a failure.
  static let near = -65

  var isNear: Bool { rssi.map { $0 >= Self.near } ?? false }

  /// The advice for an unreliable link.
  var closer: String {
    if isNear, let rssi {
      return "Its last signal was strong enough (\(rssi) dBm)."
    }
    let near = "Bring the adapter within 3 m of the \(device.noun), without metal between them"
    guard let rssi, rssi < Self.unreliable else { return near + "." }
    return near + ": it was last received at \(rssi) dBm, and below \(Self.unreliable) dBm connections fail."
  }

  var again: String { "Then \(retry)." }

  /// The advice for an unreliable link of which nothing else is known.
  var closerAndAgain: String { "\(closer) \(isNear ? "\(retry.uppercasedFirst)." : again)" }

  /// For the device that may be replaced when the retry fails, too.
  var againOrReplace: String { "\(again) If it fails again, replace the \(device.noun)." }

  /// How to put the device into provisioning mode, where that is needed, and how to continue.
  var waitAndRun: String { (device.makeItWait.map { "\($0) and " } ?? "") + retry }

  /// How to restart a device that does not answer.
  var restart: String {
    "switch the \(device.noun) off and on\(device.makeItWait.map { ", and \($0)" } ?? "")"
  }

  /// The command of the run with an option for this room: "run the same command with `--force lobby`".
  func run(with option: String) -> String {
    "run the same command with "
      + (room.map { "`\(option) \($0.rawValue.visible)`" } ?? "\(option) and the name of the room")
  }

  /// The advice after a save whose effect was not received.
  var adviceWhenUnconfirmed: String {
    if !hasBeacon {
      return "\(retry.uppercasedFirst) within 3 m of the \(device.noun): the run writes the settings again."
    }
    return """
      \(retry.uppercasedFirst) within 3 m of the \(device.noun). The run scans first: the room is done when the beacon \
      is received. \(device.stillWaiting), the settings were not kept, and the run writes them again.
      """
  }

  /// The explanation of an outcome without a reason.
  func explain(_ outcome: Outcome) -> Explanation {
    switch outcome {
    case .provisioned, .provisionedAfterRetry, .alreadyProvisioned:
      Explanation("The room is done.", "Nothing is left to do.")
    case .actionRequired:
      Explanation(
        "\(subject) cannot be provisioned until the operator acts.",
        "Check its power. Then \(waitAndRun).")
    case .unconfirmed:
      Explanation(
        "The settings were written, but nothing proves that they were kept.", adviceWhenUnconfirmed)
    case .failed:
      Explanation("\(subject) could not be provisioned.", closerAndAgain)
    case .unreachable:
      Explanation("\(subject) was not reached.", "\(closer) Check its power. \(again)")
    case .ambiguous:
      Explanation(
        "Several \(device.noun)s match this room.",
        "Write the address from the label of the right one into the manifest. \(again)")
    case .pending:
      Explanation("The run did not start this room.", retry.uppercasedFirst + ".")
    case .skipped:
      skipped()
    case .cancelled:
      Explanation("The run ended before this room was done.", retry.uppercasedFirst + ".")
    }
  }

  private func skipped() -> Explanation {
    let why = exclusion?.reason.map { ": " + $0.visible } ?? ""
    switch exclusion?.cause {
    case .accepted?:
      let by = exclusion?.by.map { " by \($0.visible)" } ?? ""
      return Explanation(
        "This room was accepted as it is\(by)\(why).", "To provision it, \(run(with: "--force")).")
    case .retired?:
      return Explanation(
        "This room was taken out of service\(why).",
        "Remove it from the manifest. Or, to put it back into service, \(run(with: "--force")).")
    case .deselected?, nil:
      return Explanation("This room was not selected.", "To provision it, \(run(with: "--only")).")
    }
  }
}
