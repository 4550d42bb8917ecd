import Journal
import Provisioning
import Reporting

/// How long provisioning will take: by how long it took here before, or else in the radio lab.
struct TimeEstimate {
  /// Seconds a sensor, one after the other, from the radio lab (docs/bluez.md: 13.7 devices a minute).
  static let unmeasured = 4.4

  /// Seconds a device.
  let seconds: Double
  /// How many successful attempts on record it rests on; 0 for none.
  let measured: Int

  /// The median of the successful attempts on record.
  init(_ archive: BuildingArchive, simulated: Bool) {
    let times = archive.runs.filter { $0.record.isSimulated == simulated }.flatMap { run in
      run.record.events.compactMap { event -> Double? in
        guard case .attemptEnded(let fact) = event.fact, fact.failure == nil else { return nil }
        return fact.seconds
      }
    }.sorted()
    measured = times.count
    seconds = times.isEmpty ? Self.unmeasured : times[times.count / 2]
  }

  /// What to expect of a plan, as a sentence.
  func words(for plan: ApplyPlan) -> String {
    let count = plan.rooms.count { $0.action == .provision }
    guard count > 0 else { return "Nothing would be written." }
    let total = Double(count) * seconds
    let time = total < 90 ? "\(Int(total.rounded(.up))) s" : "\(Int((total / 60).rounded(.up))) min"
    let source = measured > 0 ? "as here before" : "as measured in the lab"
    let each = (seconds * 10).rounded() / 10
    return "About \(time), one device after the other (\(each) s each, \(source))."
  }
}

extension JournalRecord {
  /// Whether it is the record of a rehearsal.
  var isSimulated: Bool {
    guard case .runStarted(let started)? = events.first?.fact else { return false }
    return started.simulated
  }
}
