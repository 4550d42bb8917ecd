package import Model

/// A device family that can be provisioned: its description and the GATT session that applies the settings. A
/// new family is one file with a conforming type, and a line in `DeviceProfiles.all` (docs/profiles.md).
package protocol DeviceProfile: DeviceFamily {
  /// Connects, writes, and asks the device to save. Returns when nothing is left to send, whether or not the
  /// device acknowledged the save; the result still needs its proof.
  /// - Throws: `AttemptFailure` for every failure before the device could have kept anything, for an explicit
  ///   refusal, and for families that can be written again, whose next attempt begins with a read.
  func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission
}
