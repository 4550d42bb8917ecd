package import Journal
package import Model
package import Reporting

/// The estimated time of provisioning: from the pace of this building's runs, failures included, or else of
/// the radio lab.
package struct TimeEstimate {
  /// The pace of the runs on record.
  package let pace: RunPace

  package init(_ archive: BuildingArchive) {
    pace = archive.runs.reduce(RunPace()) { $0 + RunPace($1.record.events) }
  }

  /// The estimate for a plan, as a sentence.
  package func words(for plan: ApplyPlan) -> String {
    let count = plan.rooms.count { $0.action == .provision }
    guard count > 0 else { return "Nothing would be written." }
    if let time = pace.estimate(of: count), let each = pace.secondsPerRoom {
      return "About \(time.asAboutTime) (\(each.asSeconds) per room in the runs so far, failures included)."
    }
    let time = Duration.seconds(Double(count) * RunPace.unmeasuredSeconds)
    return """
      At most about \(time.asAboutTime) (\(RunPace.unmeasuredSeconds.asSeconds) per room, one after the other, as measured in the lab; \
      several at once take less).
      """
  }
}
