package import Bluetooth
package import Model

/// What an attempt has achieved so far; outlives the conversation, however that ends.
package actor AttemptProgress {
  /// Settings the device has confirmed.
  package private(set) var written: Set<SettingName> = []
  /// Settings that the device was read to hold.
  package private(set) var readBack: Set<SettingName> = []
  /// The link, while there may be one to take down.
  package private(set) var link: (any Peripheral)?
  /// When the device was asked to keep what was written, if it was.
  package private(set) var submittedAt: MonotonicInstant?

  /// How many statuses of the device were heard.
  private var statuses = 0

  /// Counts a status, and returns how many came before it.
  func countStatus() -> Int {
    defer { statuses += 1 }
    return statuses
  }

  func confirm(_ setting: SettingName) { written.insert(setting) }
  func confirmReadBack(_ settings: [SettingName]) { readBack.formUnion(settings) }
  func hold(_ link: any Peripheral) { self.link = link }
  func submit(at instant: MonotonicInstant) { submittedAt = instant }
}
