package import Bluetooth
package import Model

/// The progress of an attempt, which remains available after its GATT session.
package actor AttemptProgress {
  /// Settings that were sent to the device, apart from those that it rejected.
  package private(set) var sent: Set<SettingName> = []
  /// Settings that the device confirmed.
  package private(set) var written: Set<SettingName> = []
  /// Settings that a read showed the device to hold.
  package private(set) var readBack: Set<SettingName> = []
  /// The link, while there may be one to end.
  package private(set) var link: (any Peripheral)?
  /// When the save was submitted; nil without one.
  package private(set) var submittedAt: MonotonicInstant?

  /// Whether what the device does is by the command of this attempt.
  package private(set) var isAccepted = false

  /// The security of the session; nil if it has none of its own.
  package private(set) var security: Int?

  /// The number of statuses received.
  private var statuses = 0

  /// Takes a status, and returns the number of earlier ones.
  func take(_ meaning: StatusMeaning) -> Int {
    switch meaning {
    case .accepted: isAccepted = true
    case .notAccepted, .refusal: isAccepted = false
    case .ready, .saved, .stale, .other: break
    }
    defer { statuses += 1 }
    return statuses
  }

  func excludeEarlierCommands() { isAccepted = true }

  func secure(by security: Int) { self.security = security }
  func send(_ settings: [SettingName]) { sent.formUnion(settings) }
  func reject(_ settings: [SettingName]) { sent.subtract(settings) }
  func confirm(_ setting: SettingName) { written.insert(setting) }
  func confirmReadBack(_ settings: [SettingName]) { readBack.formUnion(settings) }
  func hold(_ link: any Peripheral) { self.link = link }
  func submit(at instant: MonotonicInstant) { submittedAt = instant }
}
