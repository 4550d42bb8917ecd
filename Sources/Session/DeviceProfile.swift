public import Model

/// A device family whose devices can be given settings: what there is to know of it, and the conversation that applies
/// them. Adding a family is one file with one of these, and a line in `DeviceProfiles.all` (docs/profiles.md).
public protocol DeviceProfile: DeviceFamily {
  /// The conversation: connects, writes, asks the device to keep it. Returns when there is nothing left to
  /// say, whether or not the device acknowledged the last word; what it returns still needs its proof.
  /// - Throws: `AttemptFailure` for whatever went wrong *before* the device could have kept anything, for a refusal
  ///   in the device's own words, and where the device can be written again: then the next attempt begins by
  ///   reading what this one left.
  func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission
}
